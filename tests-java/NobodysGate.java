import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Does without end the work of a class with probes on disk at the entry of each of its methods: checks
 * whether gate number 0 is open. Prints at its end how often it was. Needs the agent.
 *
 * <p>Arguments: [rounds].
 */
public final class NobodysGate {
    private NobodysGate() {}

    public static void main(String[] args) throws Throwable {
        Class<?> probe = Class.forName("java.lang.SplProbe", true, null);
        MethodType type = MethodType.methodType(int.class, int.class);
        MethodHandle enter = MethodHandles.lookup().findStatic(probe, "enter", type);
        long open = 0;
        Life life = Life.start(args);
        while (life.wantsRound()) {
            for (int i = 0; i < 1000; i++) {
                if ((int) enter.invokeExact(0) != 0) {
                    open++;
                }
            }
            life.check("");
        }
        Life.say("open " + open + " times");
        life.end();
    }
}
