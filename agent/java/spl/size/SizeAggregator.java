package spl.size;

/**
 * A bucket of workload sizes that are alike. Calls whose sizes have equal buckets are compared with each other, so implement
 * {@link Object#equals} and {@link Object#hashCode}. {@link Object#toString} is the bucket's name in verdicts and files, of at
 * most 200 characters; buckets of the same name are one, in both methods of a comparison too.
 */
public interface SizeAggregator {
}
