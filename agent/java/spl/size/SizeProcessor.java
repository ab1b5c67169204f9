package spl.size;

/**
 * Finds the workload size of each call of the methods it is named for in the task file. Has a public constructor without
 * parameters; one object serves one method in all threads at the same time.
 */
public interface SizeProcessor {
    /**
     * The size of one call.
     *
     * <p>When this throws, gives null, or is slow again and again, the call counts with the size of its arguments in bytes.
     *
     * @param self the object that the method is called on; null for a static method
     * @param arguments the arguments; numbers are boxed
     * @return the size, with as many values as you need
     */
    MethodSize computeSize(Object self, Object[] arguments);

    /**
     * By what sizes are put together. Asked once.
     *
     * @return what {@link MethodSize#aggregate} gets; null if it needs nothing
     */
    ScaleBase getBase();
}
