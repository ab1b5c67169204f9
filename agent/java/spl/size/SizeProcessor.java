package spl.size;

/**
 * Computes the workload size of each measured call of a method. The task file names its class after the
 * method; the {@linkplain spl.size package page} has a complete example.
 *
 * <p>The class needs a public constructor without parameters. One object serves one method, in all threads at
 * the same time, so it must be safe for use by several threads.
 */
public interface SizeProcessor {
    /**
     * Returns the size of one call. Called before the call's clock starts, in the thread of the call; it
     * should take far less than a millisecond.
     *
     * <p>If this throws, returns null, or is slow repeatedly, the size of the arguments in bytes is used
     * instead.
     *
     * @param self the object on which the method is called; null for a static method
     * @param arguments the arguments in their order; values of primitive types are boxed
     * @return the size, of one value or several, in a unit of your choice
     */
    MethodSize computeSize(Object self, Object[] arguments);

    /**
     * Returns the parameter that {@link MethodSize#aggregate} gets, such as the width of a bucket. Called
     * once, before the first call is measured.
     *
     * @return the parameter; null if none is needed
     */
    ScaleBase getBase();
}
