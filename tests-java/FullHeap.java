/** A heap that a daemon thread fills, until there is no memory, while the program ends. */
public final class FullHeap {
    private static FullHeap head;

    private final FullHeap next = head;
    private final byte[] bytes = new byte[1];

    private FullHeap() {}

    private static void fill(int objects) {
        for (int i = 0; i < objects; i++) {
            head = new FullHeap();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        fill(1000);
        Thread filling = new Thread(() -> fill(Integer.MAX_VALUE));
        filling.setDaemon(true);
        filling.start();
        Thread.sleep(30);
    }
}
