package com.example.webshop.loadtest;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** The shop as one visitor sees it: an action for each thing that can be done there. */
public final class Shop {
    private final URI home;
    private final Settings settings;
    private final Timers timers;
    private final Random random;
    private final Duration timeout;
    private final List<String> searchTerms;
    private final HttpClient client;

    /** A new visitor, without cookies. */
    public Shop(Settings settings, Timers timers, Random random) throws IOException {
        this.settings = settings;
        this.timers = timers;
        this.random = random;
        home = URI.create(settings.text("webshop.url"));
        timeout = Duration.ofMillis(settings.number("http.timeout"));
        searchTerms = Files.readAllLines(Path.of(settings.text("webshop.searchterms")), StandardCharsets.UTF_8);
        client = HttpClient.newBuilder()
            .connectTimeout(timeout)
            .cookieHandler(new CookieManager())
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    }

    public void homepage() throws Exception {
        action("Homepage", () -> {
            get("Homepage.1", "/");
            get("Homepage.2", "/static/shop.css");
            get("Homepage.3", "/static/hero.webp");
        });
    }

    public void selectCategory() throws Exception {
        action("SelectCategory", () -> {
            get("SelectCategory.1", "/category/" + settings.text("webshop.category"));
            get("SelectCategory.2", "/api/facets");
        });
    }

    public void viewProduct() throws Exception {
        action("ViewProduct", () -> {
            get("ViewProduct.1", "/product/" + settings.text("webshop.product"));
            get("ViewProduct.2", "/api/recommendations");
        });
    }

    public void search() throws Exception {
        String term = encoded(searchTerms.get(random.nextInt(searchTerms.size())));
        action("Search", () -> {
            get("Search.1", "/search?q=" + term);
            get("Search.2", "/api/suggest?q=" + term);
        });
    }

    public void addToCart() throws Exception {
        action("AddToCart", () -> {
            post("AddToCart.1", "/cart/add", "product=" + settings.text("webshop.product") + "&quantity=1");
            get("AddToCart.2", "/api/minicart");
        });
    }

    public void viewCart() throws Exception {
        action("ViewCart", () -> get("ViewCart.1", "/cart"));
    }

    public void startCheckout() throws Exception {
        action("StartCheckout", () -> {
            get("StartCheckout.1", "/checkout");
            get("StartCheckout.2", "/api/session");
        });
    }

    public void shippingAddress() throws Exception {
        String visitor = "visitor-" + random.nextInt(10_000);
        String form = "email=" + encoded(visitor + "@example.com") + "&name=" + visitor + "&city=Exampleville";
        action("ShippingAddress", () -> post("ShippingAddress.1", "/checkout/shipping", form));
    }

    public void paymentMethod() throws Exception {
        action("PaymentMethod", () -> post("PaymentMethod.1", "/checkout/payment", "method=invoice"));
    }

    public void placeOrder() throws Exception {
        action("PlaceOrder", () -> {
            post("PlaceOrder.1", "/checkout/order", "confirm=true");
            get("PlaceOrder.2", "/api/order-status");
        });
    }

    /** True in that share of the cases. */
    public boolean chance(double share) {
        return random.nextDouble() < share;
    }

    private void action(String name, Timers.Step step) throws Exception {
        timers.measure("A", name, step);
        double pause = settings.number("thinktime.mean") + random.nextGaussian() * settings.number("thinktime.deviation");
        Thread.sleep(Math.max(0, Math.round(pause)));
    }

    private void get(String name, String path) throws IOException, InterruptedException {
        send(name, HttpRequest.newBuilder(home.resolve(path)).GET());
    }

    private void post(String name, String path, String form) throws IOException, InterruptedException {
        send(name, HttpRequest.newBuilder(home.resolve(path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form)));
    }

    private void send(String name, HttpRequest.Builder builder) throws IOException, InterruptedException {
        HttpRequest request = builder.timeout(timeout).build();
        long start = System.currentTimeMillis();
        long begin = System.nanoTime();
        int status = 0;
        try {
            HttpResponse<Void> response = client.send(request, BodyHandlers.discarding());
            status = response.statusCode();
        } finally {
            timers.request(name, start, (System.nanoTime() - begin) / 1_000_000, status);
        }
        if (status >= 400) {
            throw new HttpErrorException(status, request.uri());
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
