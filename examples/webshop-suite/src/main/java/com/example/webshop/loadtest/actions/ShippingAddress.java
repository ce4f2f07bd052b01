package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** Sends the address. */
public class ShippingAddress extends ShopPage
{
    public ShippingAddress(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.POST, "/checkout/shipping");
    }
}
