/**
 * How a program tells what the workload of a call is, where the size of its arguments in bytes does not (thesis 3.2.6).
 *
 * <p>An argument that implements {@link spl.size.Computable} says its own size. For code that should not be changed, a
 * {@link spl.size.SizeProcessor} is named after a method in the task file and finds the size of each of its calls; it also
 * says which sizes are alike. Both are asked only where {@code argument-size = deep} is set, and only for calls that are
 * measured, before their clock starts.
 *
 * <p>Compile against the JAR that {@code spl api-jar} writes. The measured JVM has these types from the agent: they need not be
 * on the program's class path. What is called here must be quick: it runs in the program's threads.
 */
package spl.size;
