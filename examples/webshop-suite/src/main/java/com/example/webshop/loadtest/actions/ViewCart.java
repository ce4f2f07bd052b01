package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** What is in the cart. */
public class ViewCart extends ShopPage
{
    public ViewCart(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.GET, "/cart");
    }
}
