package spl.size;

/**
 * The workload size of one call, as a {@link SizeProcessor} computed it. It may consist of several values,
 * such as rows and columns. The agent asks only for its bucket.
 */
public interface MethodSize {
    /**
     * Returns the bucket of similar sizes that this size belongs to. A call is compared only with calls in
     * the same bucket. For example, with buckets 100 wide a size of 250 belongs to the bucket "200 to 300".
     *
     * @param base the result of the processor's {@link SizeProcessor#getBase}, such as the width of a bucket;
     *     null if the processor has none
     * @return the bucket
     */
    SizeAggregator aggregate(ScaleBase base);
}
