package com.example.webshop.loadtest;

import com.example.webshop.loadtest.actions.AddToCart;
import com.example.webshop.loadtest.actions.Homepage;
import com.example.webshop.loadtest.actions.SelectCategory;
import com.example.webshop.loadtest.actions.ViewCart;
import com.example.webshop.loadtest.actions.ViewProduct;

/** The way from the homepage to a cart with a product in it, which two scenarios share. */
final class FilledCart
{
    private FilledCart()
    {
    }

    static ViewCart reach() throws Throwable
    {
        final Homepage homepage = new Homepage();
        homepage.run();
        final SelectCategory category = new SelectCategory(homepage);
        category.run();
        final ViewProduct product = new ViewProduct(category);
        product.run();
        final AddToCart added = new AddToCart(product);
        added.run();
        final ViewCart cart = new ViewCart(added);
        cart.run();
        return cart;
    }
}
