package spl.size;

/**
 * An object that knows its workload size as an argument of a measured method.
 *
 * <p>For example, sorting a ledger has as much work as the ledger has entries:
 *
 * <pre>{@code
 * public final class Ledger implements spl.size.Computable {
 *     private final List<Entry> entries = new ArrayList<>();
 *
 *     @Override
 *     public long computeSize() {
 *         return entries.size(); // the unit is one entry
 *     }
 * }
 * }</pre>
 *
 * <p>Used only with {@code argument-size = deep}.
 */
public interface Computable {
    /**
     * Returns the workload size of this object. The unit is your choice, such as elements or characters. All
     * arguments of one method must have the same unit, because the sizes of a call's arguments are added up.
     *
     * <p>If this throws, returns a number out of range, or is slow repeatedly, the object's size in bytes is
     * used instead.
     *
     * @return the size, at least 0 and less than 2<sup>61</sup>
     */
    long computeSize();
}
