package peers;

/**
 * What the rules of {@code byteman.btm} call: Byteman's own timers go through maps and locks and would be slower. Not final, because
 * Byteman derives a class from it for each rule.
 */
public class BytemanHelper {
    /** A call begins. */
    public void enter() {
        Recorder.enter();
    }

    /** It ends. */
    public void exit() {
        Recorder.exit();
    }
}
