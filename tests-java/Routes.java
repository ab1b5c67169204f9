/** Methods of which it is known how often each of their paths runs. Argument: the number of rounds. */
public final class Routes {

    private static int touched;

    private Routes() {}

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            turns();
            sum += collatz(27) + caught(100) + many(i * 7919 & 0xfffff) + nested(3, 5);
        }
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> collatz(27));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done " + sum + " " + touched);
    }

    /** Figure 3 of the paper on JBInsTrace: 50 turns of one path, 50 of the other, the first of them from the entry. */
    static void turns() {
        int i = 0;
        while (i < 100) {
            if (i < 50) {
                touched++;
            }
            touched++;
            i++;
        }
    }

    /** 111 turns for 27: 41 of odd numbers, 70 of even ones. */
    static int collatz(long n) {
        int steps = 0;
        while (n != 1) {
            if ((n & 1) == 0) {
                n = n / 2;
            } else {
                n = 3 * n + 1;
            }
            steps++;
        }
        return steps;
    }

    /** For 100: 14 exceptions of one kind, 20 of the other less the two of both. */
    static int caught(int turns) {
        int caught = 0;
        for (int i = 1; i <= turns; i++) {
            try {
                thrower(i);
            } catch (IllegalArgumentException e) {
                caught++;
            } catch (IllegalStateException e) {
                caught += 2;
            }
        }
        return caught;
    }

    private static void thrower(int i) {
        if (i % 7 == 0) {
            throw new IllegalArgumentException();
        }
        if (i % 5 == 0) {
            throw new IllegalStateException();
        }
    }

    static int nested(int outer, int inner) {
        int sum = 0;
        for (int i = 0; i < outer; i++) {
            for (int j = 0; j < inner; j++) {
                sum += i ^ j;
            }
        }
        return sum;
    }

    /** 2^20 paths. */
    static int many(int bits) {
        int sum = 0;
        if ((bits & 1) != 0) sum += 3;
        if ((bits & 1 << 1) != 0) sum += 5;
        if ((bits & 1 << 2) != 0) sum += 7;
        if ((bits & 1 << 3) != 0) sum += 11;
        if ((bits & 1 << 4) != 0) sum += 13;
        if ((bits & 1 << 5) != 0) sum += 17;
        if ((bits & 1 << 6) != 0) sum += 19;
        if ((bits & 1 << 7) != 0) sum += 23;
        if ((bits & 1 << 8) != 0) sum += 29;
        if ((bits & 1 << 9) != 0) sum += 31;
        if ((bits & 1 << 10) != 0) sum += 37;
        if ((bits & 1 << 11) != 0) sum += 41;
        if ((bits & 1 << 12) != 0) sum += 43;
        if ((bits & 1 << 13) != 0) sum += 47;
        if ((bits & 1 << 14) != 0) sum += 53;
        if ((bits & 1 << 15) != 0) sum += 59;
        if ((bits & 1 << 16) != 0) sum += 61;
        if ((bits & 1 << 17) != 0) sum += 67;
        if ((bits & 1 << 18) != 0) sum += 71;
        if ((bits & 1 << 19) != 0) sum += 73;
        return sum;
    }
}
