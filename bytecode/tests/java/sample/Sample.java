package sample;

import java.util.Arrays;
import java.util.List;

/** Methods of every shape. {@link Main} calls each and prints the results. */
public class Sample {
    final String made;

    Sample(boolean first, String a, String b) {
        this(first ? a : b);
    }

    Sample(String one) {
        super();
        made = one;
    }

    Sample(int count) {
        this(count > 2 ? "many" : null);
        for (int i = 0; i < count; i++) {
            if (i == 5) {
                return;
            }
        }
        if (count < 0) {
            throw new IllegalArgumentException("negative");
        }
    }

    Sample(Object replaced, int ignored) {
        this(String.valueOf(replaced = "other " + replaced));
    }

    static void nothing() {
    }

    static int number(int a, long b, double c, float d, boolean e, byte f, char g, short h) {
        return (int) (a + b + c + d + (e ? 1 : 0) + f + g + h);
    }

    static long wide(long a, Object b, long[] c) {
        return b == null ? a : a + c.length;
    }

    static float single(float a) {
        return a / 2;
    }

    static double twice(double a) {
        return a * 2;
    }

    synchronized String text(String a) {
        if (a.isEmpty()) {
            return "empty";
        }
        synchronized (made) {
            return made + a;
        }
    }

    static int caught(int a) {
        while (true) {
            try {
                if (a > 3) {
                    throw new IllegalStateException("over");
                }
                if (a == 2) {
                    return a;
                }
                a++;
            } catch (IllegalStateException e) {
                return -1;
            } finally {
                a += 2;
            }
        }
    }

    static int thrower(String a) {
        return Integer.parseInt(a);
    }

    static String chosen(String key, int other) {
        switch (key) {
            case "a":
                return "first";
            case "b":
                other++;
                break;
            default:
                return "default";
        }
        switch (other) {
            case 1:
                return "one";
            case 2:
                return "two";
            case 1000:
                return "thousand";
            default:
                return "none";
        }
    }

    static int recursive(int depth) {
        return depth == 0 ? 0 : 1 + recursive(depth - 1);
    }

    static int endless(int depth) {
        return 1 + endless(depth + 1);
    }

    static <T extends Comparable<T>> T largest(List<T> all) {
        T best = null;
        for (T one : all) {
            best = best == null || one.compareTo(best) > 0 ? one : best;
        }
        return best;
    }

    static final String INITIALISED;

    static {
        String text = "";
        for (int i = 0; i < 3; i++) {
            try {
                text += Integer.parseInt(i == 1 ? "x" : "7");
            } catch (NumberFormatException e) {
                text += "-";
            }
        }
        INITIALISED = text;
    }

    static void thrown(RuntimeException e) {
        throw e;
    }

    /** Whether an exception passes through measured methods as the same object. */
    static boolean identity(RuntimeException e) {
        try {
            thrown(e);
            return false;
        } catch (RuntimeException caught) {
            return caught == e && INITIALISED.equals("7-7");
        }
    }

    static int rethrown(String text) {
        try {
            return text.length();
        } finally {
            nothing();
        }
    }

    @Deprecated
    static <E extends Exception> List<? super E> annotated(@SuppressWarnings("unused") final E first, List<E>[] rest)
            throws E {
        return null;
    }

    static String reflected() throws NoSuchMethodException {
        java.lang.reflect.Method method = Sample.class.getDeclaredMethod("annotated", Exception.class, List[].class);
        return method.toGenericString() + Arrays.toString(method.getAnnotations())
                + Arrays.toString(method.getParameters());
    }
}
