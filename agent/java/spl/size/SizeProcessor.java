package spl.size;

/**
 * Computes the workload size of each call of the methods it is named for in the task file. The class has a
 * public constructor without parameters. One object serves one method in all threads at the same time.
 */
public interface SizeProcessor {
    /**
     * The size of one call.
     *
     * <p>If this throws, returns null, or is slow repeatedly, the size of the arguments in bytes is used
     * instead.
     *
     * @param self the object on which the method is called; null for a static method
     * @param arguments the arguments; numbers are boxed
     * @return the size, with as many values as you need
     */
    MethodSize computeSize(Object self, Object[] arguments);

    /**
     * Returns the parameter passed to {@link MethodSize#aggregate}. Called once.
     *
     * @return the parameter; null if none is needed
     */
    ScaleBase getBase();
}
