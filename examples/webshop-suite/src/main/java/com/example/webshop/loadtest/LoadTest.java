package com.example.webshop.loadtest;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the load profile of config/loadtest.properties on this machine. */
public final class LoadTest {
    private final Settings settings;
    private final long begin = System.nanoTime();
    private final long rampUp;
    private final long duration;

    private LoadTest(Settings settings) {
        this.settings = settings;
        rampUp = settings.number("loadtest.rampup") * 1000L;
        duration = settings.number("loadtest.duration") * 1000L;
    }

    public static void main(String[] args) throws Exception {
        new LoadTest(new Settings(Path.of("config"))).run();
    }

    private void run() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<Integer>> users = new ArrayList<>();
        for (String name : settings.list("loadtest.scenarios")) {
            Scenario scenario = Class.forName(settings.text("loadtest." + name + ".class"))
                .asSubclass(Scenario.class)
                .getDeclaredConstructor()
                .newInstance();
            int count = settings.number("loadtest." + name + ".users");
            for (int user = 0; user < count; user++) {
                int number = user;
                long delay = rampUp * user / count;
                users.add(threads.submit(() -> play(name, scenario, number, delay)));
            }
        }
        threads.shutdown();
        System.out.println(sum(users) + " transactions, see " + settings.text("results.folder") + "/");
    }

    private static int sum(List<Future<Integer>> users) throws Exception {
        int transactions = 0;
        for (Future<Integer> user : users) {
            try {
                transactions += user.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("A user could not go on: " + e.getCause().getMessage(), e);
            }
        }
        return transactions;
    }

    /** One user, again and again as a new visitor, until the time is over. Returns the number of transactions. */
    private int play(String name, Scenario scenario, int user, long delay) throws Exception {
        Thread.sleep(delay);
        Path file = Path.of(settings.text("results.folder"), name, String.valueOf(user), "timers.csv");
        Random random = new Random(name.hashCode() * 31L + user);
        int transactions = 0;
        try (Timers timers = new Timers(file)) {
            do {
                Shop shop = new Shop(settings, timers, random);
                try {
                    timers.measure("T", name, () -> scenario.run(shop));
                } catch (IOException e) {
                    // Measured as failed; the next visitor tries again.
                    System.err.println(name + ": " + e.getMessage());
                }
                transactions++;
            } while (elapsed() < duration);
        }
        return transactions;
    }

    private long elapsed() {
        return (System.nanoTime() - begin) / 1_000_000;
    }
}
