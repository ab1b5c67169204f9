package rome;

import java.util.Random;

/** The words of the invented notes: the note of one number always reads the same. */
final class NoteText {

    private static final String[] TOPICS = {"clocks", "samples", "loops", "buffers", "queues", "caches"};
    private static final String[] SUBJECTS = {
        "A short loop", "The second sample", "An idle queue", "Each full buffer", "The slower clock", "A warm cache"
    };
    private static final String[] VERBS = {"hides", "delays", "repeats", "precedes", "outlasts", "explains"};
    private static final String[] OBJECTS = {
        "the first reading", "a late interrupt", "its own neighbour", "the mean of a run", "an early exit", "half of the noise"
    };
    private static final int SENTENCES = 6;

    private NoteText() {}

    static String topic(int note) {
        return TOPICS[note % TOPICS.length];
    }

    static String title(int note) {
        return "Note " + (note + 1) + " on " + topic(note) + " & more";
    }

    static String body(int note) {
        // java.util.Random's sequence for a seed is specified, so the text is the same in every JVM.
        Random random = new Random(note);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < SENTENCES; i++) {
            text.append(i == 0 ? "" : " ").append(pick(random, SUBJECTS)).append(' ').append(pick(random, VERBS));
            text.append(' ').append(pick(random, OBJECTS)).append('.');
        }
        return text.toString();
    }

    private static String pick(Random random, String[] words) {
        return words[random.nextInt(words.length)];
    }
}
