package truth;

import java.io.IOException;

/** A program that has all methods of {@link Pairs} at work, one after the other, until its input ends. */
public final class Mix {
    private static volatile boolean ended;
    private static volatile long result;

    private Mix() {}

    public static void main(String[] args) {
        Thread input = new Thread(Mix::awaitEnd, "input");
        input.setDaemon(true);
        input.start();
        long value = 1;
        while (!ended) {
            value = round(value);
            result = value;
        }
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException gone) {
            // As good as the end.
        }
        ended = true;
    }

    private static long round(long value) {
        value = Pairs.steps100(value);
        value = Pairs.steps105(value);
        value = Pairs.steps120(value);
        value = Pairs.steps200(value);
        value = Pairs.arrayList(value);
        value = Pairs.linkedList(value);
        value = Pairs.hashMap(value);
        value = Pairs.treeMap(value);
        value = Pairs.concat(value);
        value = Pairs.builder(value);
        value = Pairs.arraysSort(value);
        value = Pairs.collectionsSort(value);
        return value;
    }
}
