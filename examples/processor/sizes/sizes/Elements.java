package sizes;

import java.util.Collection;
import java.util.RandomAccess;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeAggregator;
import spl.size.SizeProcessor;

/** Sizes of calls whose first argument is a collection: how many elements it has, and how it is linked. */
public final class Elements implements SizeProcessor {

    private static final int TEN = 10;

    @Override
    public MethodSize computeSize(Object self, Object[] arguments) {
        Collection<?> collection = (Collection<?>) arguments[0];
        return new Size(collection.size(), collection instanceof RandomAccess);
    }

    @Override
    public ScaleBase getBase() {
        return new Base(TEN);
    }

    /** Counts are alike from one power of the base to the next. */
    private static final class Base implements ScaleBase {
        private final int base;

        Base(int base) {
            this.base = base;
        }
    }

    /** A size of two values. */
    private static final class Size implements MethodSize {
        private final long elements;
        private final boolean isArray;

        Size(long elements, boolean isArray) {
            this.elements = elements;
            this.isArray = isArray;
        }

        @Override
        public SizeAggregator aggregate(ScaleBase scale) {
            int base = ((Base) scale).base;
            long low = 1;
            while (low * base <= elements) {
                low *= base;
            }
            return new Bucket(low, low * base - 1, isArray);
        }
    }

    private static final class Bucket implements SizeAggregator {
        private final long low;
        private final long high;
        private final boolean isArray;

        Bucket(long low, long high, boolean isArray) {
            this.low = low;
            this.high = high;
            this.isArray = isArray;
        }

        @Override
        public String toString() {
            return low + " to " + high + (isArray ? " elements in an array" : " linked elements");
        }
    }
}
