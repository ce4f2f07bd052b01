package com.example.webshop.loadtest.actions;

import static org.junit.Assert.assertEquals;

import org.htmlunit.HttpMethod;
import org.htmlunit.WebResponse;

import com.example.webshop.loadtest.Measurements;
import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** Puts the product into the cart. The page stays; two calls are made. */
public class AddToCart extends ShopPage
{
    public AddToCart(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.POST, "/cart/add");
        setLightWeightPage(previous.getLightWeightPage());
    }

    @Override
    protected void execute() throws Exception
    {
        final WebResponse added = call(HttpMethod.POST, "/cart/add");
        final WebResponse cart = call(HttpMethod.GET, "/api/minicart");
        assertEquals("application/json", added.getContentType());
        Measurements.value("CartSize", cart.getContentAsString().length());
    }
}
