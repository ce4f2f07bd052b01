package com.example.webshop.loadtest;

/** Fills a cart and leaves it. */
public final class TAddToCart implements Scenario {
    @Override
    public void run(Shop shop) throws Exception {
        shop.homepage();
        shop.selectCategory();
        shop.viewProduct();
        shop.addToCart();
        shop.viewCart();
    }
}
