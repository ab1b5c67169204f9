/**
 * Lets a program define the workload of a call when the size of its arguments in bytes does not (thesis
 * 3.2.6).
 *
 * <p>An argument that implements {@link spl.size.Computable} computes its own size. For code that should not
 * be changed, a {@link spl.size.SizeProcessor} is named after a method in the task file. It computes the size
 * of each call and decides which sizes are similar. Both are called only with {@code argument-size = deep},
 * only for measured calls, and before the call's clock starts.
 *
 * <p>Compile against the JAR that {@code spl api-jar} writes. The agent defines these types in the measured
 * JVM, so they need not be on the program's class path. The code must be quick: it runs in the program's
 * threads.
 */
package spl.size;
