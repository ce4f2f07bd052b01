package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** The first page of the checkout. */
public class StartCheckout extends ShopPage
{
    public StartCheckout(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.GET, "/checkout");
    }

    @Override
    protected void execute() throws Exception
    {
        super.execute();
        call(HttpMethod.GET, "/api/session");
    }
}
