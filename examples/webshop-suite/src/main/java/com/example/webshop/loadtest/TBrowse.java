package com.example.webshop.loadtest;

/** Looks around and buys nothing. */
public final class TBrowse implements Scenario {
    @Override
    public void run(Shop shop) throws Exception {
        shop.homepage();
        shop.selectCategory();
        shop.viewProduct();
        if (shop.chance(0.6)) {
            shop.viewProduct();
        }
    }
}
