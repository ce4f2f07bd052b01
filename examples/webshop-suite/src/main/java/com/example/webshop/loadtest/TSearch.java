package com.example.webshop.loadtest;

import org.junit.Test;

import com.example.webshop.loadtest.actions.Homepage;
import com.example.webshop.loadtest.actions.Search;
import com.example.webshop.loadtest.actions.ViewProduct;
import com.xceptance.xlt.api.data.DataProvider;
import com.xceptance.xlt.api.util.XltRandom;
import com.xceptance.xlt.api.tests.AbstractTestCase;

/** A visitor who looks for something: homepage, one or two searches, a product. */
public class TSearch extends AbstractTestCase
{
    @Test
    public void run() throws Throwable
    {
        final DataProvider terms = DataProvider.getInstance(getProperty("webshop.searchterms"));
        final Homepage homepage = new Homepage();
        homepage.run();
        Search search = new Search(homepage, terms.getRandomRow());
        search.run();
        if (XltRandom.nextBoolean(30))
        {
            search = new Search(search, terms.getRandomRow());
            search.run();
        }
        new ViewProduct(search).run();
    }
}
