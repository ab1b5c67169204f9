package comparing;

/** The compared methods. */
final class Totals {

    private Totals() {}

    /** Goes through the ledger once. */
    static long balance(Ledger ledger) {
        long sum = 0;
        for (Ledger.Entry entry = ledger.first(); entry != null; entry = entry.next) {
            sum += entry.amount;
        }
        return sum;
    }

    /** Goes through it three times. */
    static long audit(Ledger ledger) {
        long sum = 0;
        for (Ledger.Entry entry = ledger.first(); entry != null; entry = entry.next) {
            sum += entry.amount;
        }
        long mean = sum / ledger.computeSize();
        long deviation = 0;
        for (Ledger.Entry entry = ledger.first(); entry != null; entry = entry.next) {
            deviation += Math.abs(entry.amount - mean);
        }
        long check = 17;
        for (Ledger.Entry entry = ledger.first(); entry != null; entry = entry.next) {
            check = check * 31 + entry.amount;
        }
        return deviation ^ check;
    }
}
