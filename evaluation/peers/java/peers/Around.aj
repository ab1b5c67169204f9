package peers;

/** The least that AspectJ can do and still record each call's time: the advice is woven into the method, with a local variable. */
public aspect Around {
    long around(): execution(static long peers.Probed.*(..)) {
        long start = System.nanoTime();
        try {
            return proceed();
        } finally {
            Recorder.record(start, System.nanoTime());
        }
    }
}
