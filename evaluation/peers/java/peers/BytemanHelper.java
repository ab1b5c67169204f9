package peers;

/**
 * Helper of the rules of {@code byteman.btm}: Byteman's own timers go through maps and locks and would be
   slower. Not final, because
 * Byteman derives a class from it for each rule.
 */
public class BytemanHelper {
    /** A call begins. */
    public void enter() {
        Recorder.enter();
    }

    /** The call ends. */
    public void exit() {
        Recorder.exit();
    }
}
