/**
 * Lets a program say how much work a call has.
 *
 * <p>{@code spl} compares the times of methods only between calls with a similar amount of work. This amount
 * is the <em>workload size</em> of a call: a number, by default computed from the call's arguments. These
 * interfaces replace the default where it says nothing about the work, for example where an argument is the
 * name of a file and the work grows with the file. There are two ways:
 *
 * <ul>
 * <li>A class of your own implements {@link spl.size.Computable} and says its size itself.
 * <li>For classes that you cannot or do not want to change, write a {@link spl.size.SizeProcessor} and name
 *     it after the method in the task file. It computes the size of each call and the {@link
 *     spl.size.SizeAggregator bucket} of similar sizes that the call belongs to.
 * </ul>
 *
 * <h2>Example</h2>
 *
 * <p>Calls that count the words of a text are compared when their texts have equally many thousands of
 * characters:
 *
 * <pre>{@code
 * package sizes;
 *
 * import spl.size.*;
 *
 * public final class OfText implements SizeProcessor {
 *
 *     @Override
 *     public MethodSize computeSize(Object self, Object[] arguments) {
 *         int thousands = ((String) arguments[0]).length() / 1000; // the unit is 1000 characters
 *         return base -> new Thousands(thousands);
 *     }
 *
 *     @Override
 *     public ScaleBase getBase() {
 *         return null; // this processor has no parameter
 *     }
 *
 *     private static final class Thousands implements SizeAggregator {
 *         private final int number;
 *
 *         Thousands(int number) {
 *             this.number = number;
 *         }
 *
 *         @Override
 *         public String toString() {
 *             return number + "000 characters"; // the name in reports
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>The task file names the class after each method, and the configuration has {@code argument-size = deep}:
 *
 * <pre>{@code
 * acme/Old.words(Ljava/lang/String;)I, sizes.OfText <= acme/New.words(Ljava/lang/String;)I, sizes.OfText
 * }</pre>
 *
 * <h2>Rules</h2>
 *
 * <ul>
 * <li><em>Compiling.</em> {@code spl api-jar -o spl-api.jar} writes the JAR to compile against. The agent
 *     defines these types in the measured JVM, so the program does not need the JAR.
 * <li><em>Finding the class.</em> A processor's class has to be visible to the measured class, or be in the
 *     JAR that the key {@code processor-jar} names.
 * <li><em>When it runs.</em> Your code runs in the program's threads, several at the same time, before each
 *     measured call and outside its measured time. Only {@code argument-size = deep} uses it.
 * <li><em>When it fails.</em> If your code throws, returns null or a size out of range, or takes more than a
 *     millisecond a call repeatedly, the size of the arguments in bytes is used instead, with a warning.
 *     Nothing that it throws reaches the program.
 * </ul>
 *
 * <p>The design follows section 3.2.6 of the thesis <em>Run-time Performance Testing in Java</em> (Kotrč,
 * 2015).
 */
package spl.size;
