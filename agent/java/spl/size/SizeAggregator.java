package spl.size;

/**
 * A bucket of similar workload sizes. Calls with equal buckets are compared with each other. {@link
 * Object#toString} gives the bucket's name in verdicts and files, of at most 200 characters. The name decides
 * which buckets are equal, also between the two methods of a comparison. The agent reads and keeps nothing
 * else of a bucket.
 */
public interface SizeAggregator {
}
