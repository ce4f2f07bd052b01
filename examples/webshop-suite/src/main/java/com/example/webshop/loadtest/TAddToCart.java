package com.example.webshop.loadtest;

import org.junit.Test;

import com.xceptance.xlt.api.tests.AbstractTestCase;

/** A visitor who fills the cart and leaves. */
public class TAddToCart extends AbstractTestCase
{
    @Test
    public void run() throws Throwable
    {
        FilledCart.reach();
    }
}
