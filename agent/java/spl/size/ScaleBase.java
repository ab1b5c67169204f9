package spl.size;

/** Parameter of a processor's bucketing, for example a bucket width. Opaque to the agent. */
public interface ScaleBase {
}
