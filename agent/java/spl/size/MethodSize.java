package spl.size;

/** The workload size of one call: one value or several. */
public interface MethodSize {
    /**
     * The bucket of sizes that are alike.
     *
     * @param base what the processor's {@link SizeProcessor#getBase} gave
     * @return the bucket
     */
    SizeAggregator aggregate(ScaleBase base);
}
