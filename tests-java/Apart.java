/**
 * Two methods that share a callee: {@code slow(int)} has it do 60,000 turns in three recursive calls, {@code quick(int)} 10 turns,
 * and leaves by an exception. The callee does a million turns more in each round, and more in another thread, for neither
 * of them; {@code slow} has it called by a lambda and behind an interface with two implementations.
 */
public final class Apart {
    private static final int DEPTH = 2;
    private static final int TURNS = 20_000;
    private static final int OTHER_TURNS = 500_000;
    private static volatile boolean ends;

    private interface Work {
        long does(int turns);
    }

    private static final class Straight implements Work {
        @Override
        public long does(int turns) {
            return turned(turns);
        }
    }

    private static final class Twice implements Work {
        @Override
        public long does(int turns) {
            return turned(turns) + turned(turns);
        }
    }

    private static final Work STRAIGHT = new Straight();
    private static final Work TWICE = new Twice();

    private Apart() {}

    public static void main(String[] args) throws InterruptedException {
        Life life = Life.start(args);
        Thread other = new Thread(() -> {
            while (!ends) {
                TWICE.does(OTHER_TURNS / 2);
            }
        });
        other.start();
        while (life.wantsRound()) {
            life.check(Long.toString(round()));
        }
        ends = true;
        other.join();
        life.end();
    }

    private static long round() {
        long sum = slow(DEPTH);
        try {
            quick(1);
        } catch (IllegalStateException e) {
            sum += e.getMessage().length();
        }
        return sum + TWICE.does(OTHER_TURNS);
    }

    static long slow(int depth) {
        Work work = turns -> STRAIGHT.does(turns);
        return work.does(TURNS) + (depth > 0 ? slow(depth - 1) : 0);
    }

    static long quick(int more) {
        throw new IllegalStateException(Long.toString(STRAIGHT.does(9 + more) % 2));
    }

    private static long turned(int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }
}
