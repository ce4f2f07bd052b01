package com.example.webshop.loadtest;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** The properties of the config folder. A system property of the same name wins. */
public final class Settings {
    private static final List<String> FILES =
        List.of("default.properties", "project.properties", "loadtest.properties");

    private final Properties properties = new Properties();

    public Settings(Path folder) throws IOException {
        for (String file : FILES) {
            try (Reader reader = Files.newBufferedReader(folder.resolve(file), StandardCharsets.UTF_8)) {
                properties.load(reader);
            }
        }
    }

    public String text(String key) {
        String value = System.getProperty(key, properties.getProperty(key));
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("No setting " + key + ". Add it to a file in config/.");
        }
        return value.trim();
    }

    public int number(String key) {
        String value = text(key);
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("The setting " + key + " must be a whole number, not " + value + ".", e);
        }
    }

    /** Values separated by commas. */
    public List<String> list(String key) {
        return Stream.of(text(key).split(",")).map(String::trim).filter(item -> !item.isEmpty()).toList();
    }
}
