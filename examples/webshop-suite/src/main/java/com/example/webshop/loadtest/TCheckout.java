package com.example.webshop.loadtest;

/** Buys a poster. */
public final class TCheckout implements Scenario {
    @Override
    public void run(Shop shop) throws Exception {
        new TAddToCart().run(shop);
        shop.startCheckout();
        shop.shippingAddress();
        shop.paymentMethod();
        shop.placeOrder();
    }
}
