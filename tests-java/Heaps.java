import java.util.concurrent.CountDownLatch;

/** Objects and references that can be counted by hand, there until the end. With an argument the program waits for its input before it ends. */
public final class Heaps {
    private static Node[] nodes;
    private static int[][] numbers;

    private Heaps() {}

    /** Fields of interfaces come before all others in the JVM's numbering. */
    interface Constants {
        Node FIRST = new Node();
        Object NOTHING = noObject();
        int NUMBER = FIRST.hashCode();
    }

    static class Node {
        Object left;
        int number;
        Object right;
    }

    static final class Child extends Node implements Constants {
        static Object shared;
        static Object none;
        long before;
        Child own;
    }

    /** Only a thread's stack refers to it. */
    static final class Lonely {
        void waitFor(CountDownLatch begun) throws InterruptedException {
            synchronized (this) {
                begun.countDown();
                while (true) {
                    wait();
                }
            }
        }
    }

    static final class Waiter extends Thread {
        private final CountDownLatch begun;

        Waiter(CountDownLatch begun) {
            this.begun = begun;
        }

        @Override
        public void run() {
            try {
                new Lonely().waitFor(begun);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    static final class Never {
        static Object unused;
        Object field;

        static void touch() {}
    }

    private static Object noObject() {
        return null;
    }

    public static void main(String[] args) throws Exception {
        Node common = new Node();
        nodes = new Node[5];
        for (int i = 0; i < 3; i++) {
            nodes[i] = new Node();
            nodes[i].left = common;
        }
        Child child = new Child();
        child.own = child;
        child.left = nodes[0];
        child.right = nodes[1];
        nodes[3] = nodes[0];
        nodes[4] = child;
        Child.shared = child;
        numbers = new int[9][3];
        Never.touch();
        System.out.println(Constants.NUMBER == Constants.FIRST.hashCode());
        CountDownLatch begun = new CountDownLatch(1);
        Waiter waiter = new Waiter(begun);
        waiter.setDaemon(true);
        waiter.start();
        begun.await();
        if (args.length > 0) {
            System.in.read();
        }
    }
}
