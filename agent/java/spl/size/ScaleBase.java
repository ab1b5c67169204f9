package spl.size;

/**
 * The parameter with which a processor forms its buckets, such as the width of a bucket. The interface has no
 * methods: your class has the fields that your {@link MethodSize#aggregate} reads, and the agent only passes
 * the object on. A processor without a parameter uses null.
 */
public interface ScaleBase {
}
