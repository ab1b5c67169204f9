package comparing;

import java.io.IOException;

/** Large ledgers are mostly summed up, small ones mostly audited, so that only sizes make the two comparable. */
public final class Main {

    private static final long DEFAULT_SECONDS = 15;
    private static final long NS_PER_S = 1_000_000_000;
    private static final int SMALL = 2_000;
    private static final int LARGE = 50_000;
    /** One call in this number is of the other ledger. */
    private static final int SELDOM = 10;

    private Main() {}

    /** Argument: seconds to run (default 15); 0 runs until a line comes on standard input. */
    public static void main(String[] args) throws IOException {
        long seconds = args.length == 0 ? DEFAULT_SECONDS : Long.parseLong(args[0]);
        long start = System.nanoTime();
        Ledger small = new Ledger(SMALL);
        Ledger large = new Ledger(LARGE);
        long balance = 0;
        long audit = 0;
        for (int day = 1; !isOver(start, seconds); day++) {
            boolean usual = day % SELDOM != 0;
            balance = Totals.balance(usual ? large : small);
            audit = Totals.audit(usual ? small : large);
        }
        System.out.println("the last balance is " + balance + ", the last audit " + audit);
    }

    /** Whether the time is over, or, where it has no bound, a line has come. */
    private static boolean isOver(long start, long seconds) throws IOException {
        return seconds == 0 ? System.in.available() > 0 : System.nanoTime() - start > seconds * NS_PER_S;
    }
}
