/** A small program: a JVM's start-up and little more. */
final class Hello {
    public static void main(String[] args) {
        System.out.println("hello");
    }
}
