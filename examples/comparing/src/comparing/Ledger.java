package comparing;

import spl.size.Computable;

/** A chain of entries. Its workload is their number; {@code deep} alone would have to walk to each of them. */
final class Ledger implements Computable {

    private final Entry first;
    private final int entries;

    Ledger(int entries) {
        Entry chain = null;
        for (int i = entries; i > 0; i--) {
            chain = new Entry(i * 31 % 101 - 50, chain);
        }
        this.first = chain;
        this.entries = entries;
    }

    Entry first() {
        return first;
    }

    @Override
    public long computeSize() {
        return entries;
    }

    static final class Entry {
        final long amount;
        final Entry next;

        Entry(long amount, Entry next) {
            this.amount = amount;
            this.next = next;
        }
    }
}
