package truth;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/**
 * A program that has all methods of {@link Pairs} at work, one after the other, until its input ends; with an argument, until it is ended.
 */
public final class Mix {
    private static final Map<String, LongUnaryOperator> METHODS = new LinkedHashMap<>();

    static {
        METHODS.put("steps100", Pairs::steps100);
        METHODS.put("steps105", Pairs::steps105);
        METHODS.put("steps120", Pairs::steps120);
        METHODS.put("steps200", Pairs::steps200);
        METHODS.put("arrayList", Pairs::arrayList);
        METHODS.put("linkedList", Pairs::linkedList);
        METHODS.put("hashMap", Pairs::hashMap);
        METHODS.put("treeMap", Pairs::treeMap);
        METHODS.put("concat", Pairs::concat);
        METHODS.put("builder", Pairs::builder);
        METHODS.put("arraysSort", Pairs::arraysSort);
        METHODS.put("collectionsSort", Pairs::collectionsSort);
    }

    private static volatile boolean ended;
    private static volatile long result;

    private Mix() {}

    public static void main(String[] args) {
        if (args.length == 0) {
            Thread input = new Thread(Mix::awaitEnd, "input");
            input.setDaemon(true);
            input.start();
        }
        List<LongUnaryOperator> all = List.copyOf(METHODS.values());
        long value = 1;
        while (!ended) {
            value = call(all, value);
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

    /** All methods by their names, in the program's order. */
    static Map<String, LongUnaryOperator> all() {
        return METHODS;
    }

    /** Calls all of these, one after the other. */
    static long call(List<LongUnaryOperator> methods, long value) {
        for (LongUnaryOperator method : methods) {
            value = method.applyAsLong(value);
        }
        return value;
    }

    /** The calls of the program between two calls of this method; all calls, if it does not call the
    ** method. */
    static List<LongUnaryOperator> between(String method) {
        List<String> names = new ArrayList<>(METHODS.keySet());
        Collections.rotate(names, -Math.max(names.indexOf(method), 0));
        names.remove(method);
        return names.stream().map(METHODS::get).collect(Collectors.toUnmodifiableList());
    }
}
