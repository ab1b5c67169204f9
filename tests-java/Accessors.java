import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Makes the JDK generate classes that stand for the program's: accessors of a method that is called by reflection, in
 * class loaders of their own, and a proxy. Prints the sum of what they gave.
 */
final class Accessors {
    /** More calls than the JDK makes before it generates an accessor. */
    private static final int CALLS = 40;

    private Accessors() {}

    public static void main(String[] args) throws Exception {
        Method method = Accessors.class.getDeclaredMethod("next", int.class);
        int sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum = (int) method.invoke(null, sum);
        }
        Runnable proxy = (Runnable) Proxy.newProxyInstance(
                Accessors.class.getClassLoader(), new Class<?>[] {Runnable.class}, (self, called, arguments) -> null);
        for (int i = 0; i < CALLS; i++) {
            proxy.run();
            // The agent changes classes of other loaders some time after they were loaded.
            Thread.sleep(5);
            sum = (int) method.invoke(null, sum);
        }
        System.out.println(sum);
    }

    static int next(int value) {
        return value + 1;
    }
}
