package com.example.webshop.loadtest.actions;

import com.example.webshop.loadtest.Measurements;

/** The first page of a visit, with its style sheet and its picture. */
public class Homepage extends ShopPage
{
    public Homepage()
    {
        super(null, "/");
    }

    @Override
    protected void postValidate() throws Exception
    {
        super.postValidate();
        final String told = getLightWeightPage().getWebResponse().getResponseHeaderValue("Server-Timing");
        if (told != null)
        {
            Measurements.logVisitors("Homepage", told);
        }
    }
}
