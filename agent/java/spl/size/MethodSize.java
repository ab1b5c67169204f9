package spl.size;

/** The workload size of one call: one value or several. */
public interface MethodSize {
    /**
     * The bucket of similar sizes that this size belongs to.
     *
     * @param base the result of the processor's {@link SizeProcessor#getBase}
     * @return the bucket
     */
    SizeAggregator aggregate(ScaleBase base);
}
