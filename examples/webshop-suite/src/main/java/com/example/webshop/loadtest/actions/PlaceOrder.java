package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** Orders what is in the cart. */
public class PlaceOrder extends ShopPage
{
    public PlaceOrder(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.POST, "/checkout/order");
    }

    @Override
    protected void execute() throws Exception
    {
        super.execute();
        call(HttpMethod.GET, "/api/order-status");
    }
}
