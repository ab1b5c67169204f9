package com.example;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An example of the operator's own program in the commands of README and guide: works until a file "stop"
 * appears.
 */
public final class Service {

    private static final int TEXT_LENGTH = 1_000;
    private static final Path STOP = Path.of("stop");

    private Service() {}

    public static void main(String[] args) {
        String text = "a1".repeat(TEXT_LENGTH / 2);
        long digits = 0;
        while (!Files.exists(STOP)) {
            digits += Parser.fast(text) + Parser.slow(text);
        }
        System.out.println("some digits were counted: " + (digits > 0));
    }
}
