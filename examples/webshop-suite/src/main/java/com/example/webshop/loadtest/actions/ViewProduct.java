package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;
import com.xceptance.xlt.api.engine.Session;
import com.xceptance.xlt.api.util.XltProperties;

/** The page of one product. */
public class ViewProduct extends ShopPage
{
    private static final String PRODUCT = XltProperties.getInstance().getProperty("webshop.product", "1042");

    public ViewProduct(final AbstractLightWeightPageAction previous)
    {
        super(previous, "/product/" + PRODUCT);
    }

    @Override
    protected void execute() throws Exception
    {
        super.execute();
        call(HttpMethod.GET, "/api/recommendations");
    }

    @Override
    protected void postValidate() throws Exception
    {
        super.postValidate();
        if (getContent().contains("Out of stock"))
        {
            Session.logEvent("Out of stock", "Product " + PRODUCT + " is out of stock");
        }
    }
}
