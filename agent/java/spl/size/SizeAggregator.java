package spl.size;

/**
 * A bucket of similar workload sizes. Calls of compared methods are compared within equal buckets.
 *
 * <p>{@link Object#toString} returns the name of the bucket, such as {@code "200 to 300 rows"}. The name
 * appears in reports and files, with at most 200 characters. It also decides which buckets are equal,
 * including between the two methods of a comparison; {@link Object#equals} is not used. The agent reads and
 * keeps nothing else of a bucket. A processor may have up to 10,000 buckets.
 */
public interface SizeAggregator {
}
