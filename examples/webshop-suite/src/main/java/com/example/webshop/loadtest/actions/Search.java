package com.example.webshop.loadtest.actions;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

import org.htmlunit.HttpMethod;

import com.example.webshop.loadtest.Measurements;
import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;

/** Types a term, which the shop completes, and looks at what it finds. */
public class Search extends ShopPage
{
    private final String term;

    public Search(final AbstractLightWeightPageAction previous, final String term)
    {
        super(previous, "/search?q=" + URLEncoder.encode(term, StandardCharsets.UTF_8));
        this.term = term;
    }

    @Override
    protected void execute() throws Exception
    {
        Measurements.time("SearchSuggestion",
            () -> call(HttpMethod.GET, "/api/suggest?q=" + URLEncoder.encode(term, StandardCharsets.UTF_8)));
        super.execute();
    }
}
