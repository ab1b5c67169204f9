package bench;

/** The least program, for the time of a start. */
public final class Hello {
    private Hello() {}

    public static void main(String[] arguments) {
        System.out.println("Hello, world");
    }
}
