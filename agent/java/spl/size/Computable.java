package spl.size;

/** An object that knows what workload it is as an argument. */
public interface Computable {
    /**
     * The size of the workload, at least 0 and less than 2<sup>61</sup>, in a unit of your choice: the same for all arguments of a method, because the
     * sizes of a call's arguments are added up.
     *
     * <p>When this throws, gives another number, or is slow again and again, the object counts with its size in bytes.
     *
     * @return the size
     */
    long computeSize();
}
