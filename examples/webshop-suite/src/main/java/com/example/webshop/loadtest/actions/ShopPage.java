package com.example.webshop.loadtest.actions;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.net.URI;
import java.net.URL;
import java.util.List;

import org.htmlunit.HttpMethod;
import org.htmlunit.WebResponse;
import org.htmlunit.util.NameValuePair;

import com.xceptance.xlt.api.actions.AbstractLightWeightPageAction;
import com.xceptance.xlt.api.util.XltProperties;

/** One page of the shop and the calls that it makes. Its requests are named after it. */
abstract class ShopPage extends AbstractLightWeightPageAction
{
    private static final String SHOP = XltProperties.getInstance().getProperty("webshop.url");

    private final HttpMethod method;

    private final String path;

    /** @param previous the page before, null for the first one */
    ShopPage(final AbstractLightWeightPageAction previous, final HttpMethod method, final String path)
    {
        super(previous, null);
        this.method = method;
        this.path = path;
    }

    ShopPage(final AbstractLightWeightPageAction previous, final String path)
    {
        this(previous, HttpMethod.GET, path);
    }

    @Override
    public void preValidate() throws Exception
    {
        assertTrue("webshop.url is not set", SHOP != null && !SHOP.isBlank());
    }

    @Override
    protected void execute() throws Exception
    {
        loadPage(address(path), method, EMPTY_PARAMETER_LIST);
    }

    @Override
    protected void postValidate() throws Exception
    {
        assertEquals("The shop answered " + path + " with an error", 200, getHttpResponseCode());
        assertTrue("This is no page of the shop", getContent().contains("<title>Webshop"));
    }

    /** Calls the shop as a script of the page would; the answer is no page. */
    protected WebResponse call(final HttpMethod callMethod, final String callPath) throws Exception
    {
        final List<NameValuePair> none = EMPTY_PARAMETER_LIST;
        final WebResponse answer = getWebClient().loadWebResponse(
            createWebRequestSettings(address(callPath), callMethod, none));
        assertEquals("The shop answered " + callPath + " with an error", 200, answer.getStatusCode());
        return answer;
    }

    private static URL address(final String path) throws Exception
    {
        return URI.create(SHOP).resolve(path).toURL();
    }
}
