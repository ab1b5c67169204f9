package spl.size;

/** By what sizes are put together, such as the width of a bucket: for the processor's own classes to tell each other. */
public interface ScaleBase {
}
