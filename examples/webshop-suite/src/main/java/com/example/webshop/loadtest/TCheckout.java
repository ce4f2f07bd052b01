package com.example.webshop.loadtest;

import org.junit.Test;

import com.example.webshop.loadtest.actions.PaymentMethod;
import com.example.webshop.loadtest.actions.PlaceOrder;
import com.example.webshop.loadtest.actions.ShippingAddress;
import com.example.webshop.loadtest.actions.StartCheckout;
import com.xceptance.xlt.api.tests.AbstractTestCase;

/** A customer who buys: the way to the cart, then address, payment and order. */
public class TCheckout extends AbstractTestCase
{
    @Test
    public void run() throws Throwable
    {
        final StartCheckout checkout = new StartCheckout(FilledCart.reach());
        checkout.run();
        final ShippingAddress address = new ShippingAddress(checkout);
        address.run();
        final PaymentMethod payment = new PaymentMethod(address);
        payment.run();
        new PlaceOrder(payment).run();
    }
}
