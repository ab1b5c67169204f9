package com.example;

/** An example of the measured class in the commands of README and guide. */
final class Parser {

    private Parser() {}

    /** Counts the digits of a text. */
    static int fast(String text) {
        int digits = 0;
        for (int i = 0; i < text.length(); i++) {
            if (Character.isDigit(text.charAt(i))) {
                digits++;
            }
        }
        return digits;
    }

    /** Does the work of {@link #fast} four times. */
    static int slow(String text) {
        return fast(text) + fast(text) + fast(text) + fast(text);
    }
}
