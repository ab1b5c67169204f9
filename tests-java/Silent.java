import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * Connects to a port of this machine many times and never sends anything. A closed connection is opened
 * again, until the input ends. Arguments: the port, the number of connections.
 */
public final class Silent {
    private Silent() {}

    public static void main(String[] args) throws Exception {
        InetSocketAddress port =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        Selector selector = Selector.open();
        for (int left = Integer.parseInt(args[1]); left > 0; left--) {
            open(selector, port);
        }
        System.out.println("open");
        Thread end = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException e) {
                // Treated like the end of the input.
            }
            selector.wakeup();
        });
        end.start();
        while (end.isAlive()) {
            selector.select(100);
            int closed = 0;
            for (SelectionKey key : selector.selectedKeys()) {
                if (isClosed((SocketChannel) key.channel())) {
                    key.channel().close();
                    closed++;
                }
            }
            selector.selectedKeys().clear();
            for (; closed > 0; closed--) {
                open(selector, port);
            }
        }
    }

    private static boolean isClosed(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(16)) < 0;
        } catch (java.io.IOException e) {
            return true;
        }
    }

    private static void open(Selector selector, InetSocketAddress port) throws java.io.IOException {
        SocketChannel channel = SocketChannel.open(port);
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }
}
