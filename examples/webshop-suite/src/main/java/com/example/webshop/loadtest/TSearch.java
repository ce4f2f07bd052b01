package com.example.webshop.loadtest;

/** Searches, sometimes twice, and looks at a product. */
public final class TSearch implements Scenario {
    @Override
    public void run(Shop shop) throws Exception {
        shop.homepage();
        shop.search();
        if (shop.chance(0.3)) {
            shop.search();
        }
        shop.viewProduct();
    }
}
