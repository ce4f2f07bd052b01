package com.example.webshop.loadtest;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The measurements of one user, one a line of timers.csv: kind (T transaction, A action, R request), name,
 * start in milliseconds since 1970, runtime in milliseconds, failed, and for requests the status (0 = no response).
 */
public final class Timers implements AutoCloseable {
    /** Something to measure. */
    @FunctionalInterface
    public interface Step {
        void run() throws Exception;
    }

    private final BufferedWriter writer;

    public Timers(Path file) throws IOException {
        Files.createDirectories(file.getParent());
        writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
    }

    /** Runs the step and writes how long it took, also when it fails. */
    public void measure(String kind, String name, Step step) throws Exception {
        long start = System.currentTimeMillis();
        long begin = System.nanoTime();
        boolean failed = true;
        try {
            step.run();
            failed = false;
        } finally {
            write(kind, name, start, (System.nanoTime() - begin) / 1_000_000, failed, "");
        }
    }

    public void request(String name, long start, long runtime, int status) {
        write("R", name, start, runtime, status == 0 || status >= 500, "," + status);
    }

    private void write(String kind, String name, long start, long runtime, boolean failed, String more) {
        try {
            writer.write(kind + "," + name + "," + start + "," + runtime + "," + failed + more);
            writer.newLine();
        } catch (IOException e) {
            throw new UncheckedIOException("The measurements cannot be written. Is the disk full?", e);
        }
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
