package sample;

import java.util.Arrays;
import java.util.concurrent.Callable;

/** Prints the results of {@link Sample}, then the counts of the probe if it exists. */
public final class Main {
    private Main() {
    }

    private static void show(String what, Callable<Object> call) {
        try {
            System.out.println(what + " = " + call.call());
        } catch (StackOverflowError e) {
            System.out.println(what + " threw " + e.getClass().getName());
        } catch (Throwable e) {
            System.out.println(what + " threw " + e);
            for (StackTraceElement frame : e.getStackTrace()) {
                if (frame.getMethodName().equals("show")) {
                    break;
                }
                System.out.println("  " + frame);
            }
        }
    }

    /** Prints the results of a class that only some runs have. */
    private static void showOptional(String name) throws Exception {
        Class<?> optional;
        try {
            optional = Class.forName("sample." + name);
        } catch (ClassNotFoundException none) {
            return;
        }
        for (Object one : (Iterable<?>) optional.getDeclaredMethod("all").invoke(null)) {
            System.out.println(name + ": " + one);
        }
    }

    private static void calls() throws Exception {
        Sample sample = new Sample(true, "left", "right");
        show("made", () -> sample.made);
        show("made by count", () -> new Sample(7).made);
        show("made by small count", () -> new Sample(1).made);
        show("made by negative", () -> new Sample(-1).made);
        show("made by replaced", () -> new Sample("x", 1).made);
        show("nothing", () -> {
            Sample.nothing();
            return null;
        });
        show("number", () -> Sample.number(1, 2, 3.5, 4.5f, true, (byte) 5, 'a', (short) 6));
        show("wide", () -> Sample.wide(3, "x", new long[4]));
        show("single", () -> Sample.single(3));
        show("twice", () -> Sample.twice(3));
        show("text", () -> sample.text("!") + sample.text(""));
        show("caught", () -> Sample.caught(0) + " " + Sample.caught(1) + " " + Sample.caught(9));
        show("thrower", () -> Sample.thrower("12"));
        show("thrower", () -> Sample.thrower("x"));
        show("chosen", () -> Sample.chosen("a", 0) + Sample.chosen("b", 0) + Sample.chosen("b", 999) + Sample.chosen("c", 1));
        show("recursive", () -> Sample.recursive(50));
        show("endless", () -> Sample.endless(0));
        show("largest", () -> Sample.largest(Arrays.asList(3, 9, 4)));
        show("lambdas", () -> Modern.lambdas(21));
        show("greet", () -> new Modern() { }.greet("you"));
        show("identity", () -> Sample.identity(new IllegalStateException("mine")));
        show("trace", () -> Sample.rethrown(null));
        show("reflected", () -> Sample.reflected());
        showOptional("Newest");
        showOptional("Large");
    }

    public static void main(String[] arguments) throws Exception {
        calls();
        Class<?> probe;
        try {
            probe = Class.forName("java.lang.SplProbe");
        } catch (ClassNotFoundException none) {
            return;
        }
        long[][] counts = ((long[][]) probe.getField("counts").get(null)).clone();
        for (int i = 0; i < counts.length; i++) {
            counts[i] = counts[i].clone();
        }
        // A failing recorder must change neither results nor exceptions.
        probe.getField("failure").set(null, new StackOverflowError());
        System.out.println("failing recorder");
        calls();
        System.out.println("counts");
        for (int i = 0; i < counts.length; i++) {
            if (counts[i][0] != 0) {
                System.out.println(i + " " + counts[i][0] + " " + counts[i][1] + " " + counts[i][2] + " " + counts[i][3]);
            }
        }
    }
}
