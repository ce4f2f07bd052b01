package com.example.webshop.loadtest.actions;

import org.htmlunit.HttpMethod;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** The posters of the catalogue. */
public class SelectCategory extends ShopPage
{
    public SelectCategory(final AbstractLightWeightPageAction previous)
    {
        super(previous, HttpMethod.GET, "/category/posters");
    }

    @Override
    protected void execute() throws Exception
    {
        super.execute();
        call(HttpMethod.GET, "/api/facets");
    }
}
