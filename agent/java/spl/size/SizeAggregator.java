package spl.size;

/**
 * A bucket of workload sizes that are alike. Calls whose sizes have equal buckets are compared with each other.
 * {@link Object#toString} is the bucket's name in verdicts and files, of at most 200 characters, and decides which buckets are
 * equal, in both methods of a comparison too; nothing else of a bucket is asked or kept.
 */
public interface SizeAggregator {
}
