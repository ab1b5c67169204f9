/**
 * Code of which every line runs, and still not every block; and a line that an exception leaves. The loop is the example of JDA's
 * paper for what the coverage of lines hides.
 */
public final class Hidden {

    private int value;

    private Hidden(int value) {
        this.value = value;
    }

    private boolean lessThan(int limit) {
        return value < limit;
    }

    private void inc() {
        value++;
    }

    private boolean foo() {
        return value > 100;
    }

    private boolean printable() {
        return value >= 0;
    }

    private void bar() {
        value--;
    }

    static void loop() {
        for (Hidden i = new Hidden(0); i.lessThan(10); i.inc()) { if (i.foo()) i.bar(); String n = i.printable() ? "yes" : "no"; }
    }

    static int left(int[] one) {
        int sum = 7;
        sum += one[sum];
        return sum;
    }

    public static void main(String[] args) {
        loop();
        new Hidden(1).bar();
        try {
            left(new int[1]);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println("left");
        }
    }
}
