package truth;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Methods whose times are compared, each some microseconds long. Each takes a number that decides what it works on and gives
 * another that depends on all that it did, so that nobody can leave anything out, or learn what comes next.
 */
public final class Pairs {
    /** Some five microseconds. */
    private static final int STEPS = 3_000;
    /** Elements of a list; a linked one goes through a quarter of them to find one. */
    private static final int LIST = 40;
    private static final int ACCESSES = 2_000;
    /** Entries of a map. */
    private static final int KEYS = 200;
    private static final int LOOKUPS = 256;
    private static final int JOINED = 200;
    private static final int SORTED = 400;

    private static final List<Integer> ARRAY_LIST = new ArrayList<>();
    private static final List<Integer> LINKED_LIST = new LinkedList<>();
    private static final Integer[] NUMBERS = new Integer[4_096];
    private static final Map<Integer, Integer> HASH_MAP = new HashMap<>();
    private static final Map<Integer, Integer> TREE_MAP = new TreeMap<>();
    private static final String[] WORDS = new String[64];

    static {
        for (int i = 0; i < NUMBERS.length; i++) {
            NUMBERS[i] = i;
        }
        for (int i = 0; i < LIST; i++) {
            ARRAY_LIST.add(NUMBERS[i]);
            LINKED_LIST.add(NUMBERS[i]);
        }
        for (int i = 0; i < KEYS; i++) {
            HASH_MAP.put(NUMBERS[4 * i], NUMBERS[i]);
            TREE_MAP.put(NUMBERS[4 * i], NUMBERS[i]);
        }
        for (int i = 0; i < WORDS.length; i++) {
            WORDS[i] = "a word of a sentence".substring(0, 8 + i % 12);
        }
    }

    private Pairs() {}

    private static long next(long value) {
        value = value * 6364136223846793005L + 1442695040888963407L;
        return value ^ value >>> 33;
    }

    private static long steps(long start, int count) {
        long value = start;
        for (int i = 0; i < count; i++) {
            value = next(value);
        }
        return value;
    }

    /** The steps that others do more of. */
    public static long steps100(long value) {
        return steps(value, STEPS);
    }

    /** 1.05 times as many. */
    public static long steps105(long value) {
        return steps(value, STEPS + STEPS / 20);
    }

    /** 1.2 times as many. */
    public static long steps120(long value) {
        return steps(value, STEPS + STEPS / 5);
    }

    /** Twice as many. */
    public static long steps200(long value) {
        return steps(value, STEPS + STEPS);
    }

    /** Elements by their numbers. */
    public static long arrayList(long value) {
        int index = (int) (value >>> 40) % LIST;
        long sum = value;
        for (int i = 0; i < ACCESSES; i++) {
            sum += ARRAY_LIST.get(index);
            index = index + 7 < LIST ? index + 7 : index + 7 - LIST;
        }
        return next(sum);
    }

    /** Elements of a linked list by their numbers. */
    public static long linkedList(long value) {
        int index = (int) (value >>> 40) % LIST;
        long sum = value;
        for (int i = 0; i < ACCESSES; i++) {
            sum += LINKED_LIST.get(index);
            index = index + 7 < LIST ? index + 7 : index + 7 - LIST;
        }
        return next(sum);
    }

    /** Values by keys that cannot be foreseen. */
    public static long hashMap(long value) {
        for (int i = 0; i < LOOKUPS; i++) {
            value = next(value + HASH_MAP.get(4 * (int) ((value >>> 40) % KEYS)));
        }
        return value;
    }

    /** Values of a tree by such keys. */
    public static long treeMap(long value) {
        for (int i = 0; i < LOOKUPS; i++) {
            value = next(value + TREE_MAP.get(4 * (int) ((value >>> 40) % KEYS)));
        }
        return value;
    }

    /** Two strings to one. */
    public static long concat(long value) {
        for (int i = 0; i < JOINED; i++) {
            String joined = WORDS[(int) (value >>> 40 & 63)].concat(WORDS[(int) (value >>> 50 & 63)]);
            value = next(value + joined.length() + joined.charAt(3));
        }
        return value;
    }

    /** Two strings to one by a builder. */
    public static long builder(long value) {
        for (int i = 0; i < JOINED; i++) {
            String joined = new StringBuilder()
                    .append(WORDS[(int) (value >>> 40 & 63)])
                    .append(WORDS[(int) (value >>> 50 & 63)])
                    .toString();
            value = next(value + joined.length() + joined.charAt(3));
        }
        return value;
    }

    /** Numbers of an array. */
    public static long arraysSort(long value) {
        int[] numbers = new int[SORTED];
        for (int i = 0; i < SORTED; i++) {
            value = next(value);
            numbers[i] = (int) (value >>> 52);
        }
        Arrays.sort(numbers);
        return next(value + numbers[SORTED / 2]);
    }

    /** Numbers of a list, sorted. */
    public static long collectionsSort(long value) {
        List<Integer> numbers = new ArrayList<>(SORTED);
        for (int i = 0; i < SORTED; i++) {
            value = next(value);
            numbers.add(NUMBERS[(int) (value >>> 52)]);
        }
        Collections.sort(numbers);
        return next(value + numbers.get(SORTED / 2));
    }
}
