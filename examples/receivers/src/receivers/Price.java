package receivers;

/** The price of an article: three classes, and a fourth one that somebody adds. */
interface Price {
    long cents();

    /** The price on the label. */
    final class Full implements Price {
        private final long cents;

        Full(long cents) {
            this.cents = cents;
        }

        @Override
        public long cents() {
            return cents;
        }
    }

    /** Half of the price on the label. */
    final class Half implements Price {
        private final long cents;

        Half(long cents) {
            this.cents = cents;
        }

        @Override
        public long cents() {
            return cents / 2;
        }
    }

    /** A gift. */
    final class Free implements Price {
        @Override
        public long cents() {
            return 0;
        }
    }

    /** The fourth class: a price without tax. */
    final class Net implements Price {
        private final long cents;

        Net(long cents) {
            this.cents = cents;
        }

        @Override
        public long cents() {
            return cents * 100 / 119;
        }
    }
}
