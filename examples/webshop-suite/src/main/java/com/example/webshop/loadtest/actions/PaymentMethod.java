package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** Chooses how to pay. */
public class PaymentMethod extends ShopPage
{
    public PaymentMethod(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.POST, "/checkout/payment");
    }
}
