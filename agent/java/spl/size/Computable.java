package spl.size;

/** An object that knows its workload size as an argument. */
public interface Computable {
    /**
     * The size of the workload, at least 0 and less than 2<sup>61</sup>. The unit is your choice, but must be
     * the same for all arguments of a method: the sizes of a call's arguments are added up.
     *
     * <p>If this throws, returns another number, or is slow repeatedly, the object's size in bytes is used
     * instead.
     *
     * @return the size
     */
    long computeSize();
}
