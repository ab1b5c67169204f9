package measuring;

import java.util.ArrayList;
import java.util.List;

/** Keeps parcels on shelves. */
final class Depot {

    private static final int SHELVES = 4;

    private final List<Shelf> shelves = new ArrayList<>();
    private final int capacity;
    private int received;

    Depot(int capacity) {
        this.capacity = capacity;
        for (int i = 0; i < SHELVES; i++) {
            shelves.add(new Shelf());
        }
    }

    /** An object as a parameter. */
    boolean receive(Parcel parcel) {
        if (received == capacity) {
            return false;
        }
        shelves.get(received % SHELVES).put(parcel, received);
        return true;
    }

    List<Integer> weights() {
        List<Integer> weights = new ArrayList<>();
        for (Shelf shelf : shelves) {
            shelf.addWeights(weights);
        }
        return weights;
    }

    /** An inner class: each shelf knows its depot. */
    final class Shelf {

        private final List<Parcel> parcels = new ArrayList<>();

        void put(Parcel parcel, int place) {
            parcels.add(place / SHELVES, parcel);
            received++;
        }

        void addWeights(List<Integer> weights) {
            for (Parcel parcel : parcels) {
                weights.add(parcel.weightGrams());
            }
        }
    }
}
