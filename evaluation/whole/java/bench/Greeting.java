package bench;

/** The smallest program. */
final class Greeting implements Whole.Program {
    @Override
    public long run(String[] arguments) {
        System.out.println("Hello world ...");
        return arguments.length;
    }
}
