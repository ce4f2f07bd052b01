package com.example.webshop.loadtest;

import org.junit.Test;

import com.example.webshop.loadtest.actions.Homepage;
import com.example.webshop.loadtest.actions.SelectCategory;
import com.example.webshop.loadtest.actions.ViewProduct;
import com.xceptance.xlt.api.util.XltRandom;
import com.xceptance.xlt.api.tests.AbstractTestCase;

/** A visitor who looks around: homepage, category, a product or two. */
public class TBrowse extends AbstractTestCase
{
    @Test
    public void run() throws Throwable
    {
        final Homepage homepage = new Homepage();
        homepage.run();
        final SelectCategory category = new SelectCategory(homepage);
        category.run();
        final ViewProduct product = new ViewProduct(category);
        product.run();
        if (XltRandom.nextBoolean(60))
        {
            new ViewProduct(product).run();
        }
    }
}
