package bench;

import java.awt.AWTEvent;
import java.awt.Toolkit;
import java.awt.event.WindowEvent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.gjt.sp.jedit.View;
import org.gjt.sp.jedit.jEdit;

/** jEdit with its own arguments, until its first window is open and has been painted. */
final class JEditStart implements Whole.Program {
    private static final long PATIENCE_S = 240;

    @Override
    public long run(String[] arguments) throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        // The event comes after the window was laid out; what it has asked to be painted stands in the queue before the next event.
        Toolkit.getDefaultToolkit().addAWTEventListener(event -> {
            if (event.getID() == WindowEvent.WINDOW_OPENED && event.getSource() instanceof View) {
                java.awt.EventQueue.invokeLater(open::countDown);
            }
        }, AWTEvent.WINDOW_EVENT_MASK);
        jEdit.main(arguments);
        if (!open.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no window is open after " + PATIENCE_S + " s");
        }
        return jEdit.getViews().length;
    }
}
