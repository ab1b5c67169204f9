package measuring;

/** A parcel with its address, weight and value. */
final class Parcel {

    private final String address;
    private final int weightGrams;
    private final double value;

    Parcel(String address, int weightGrams, double value) {
        this.address = address;
        this.weightGrams = weightGrams;
        this.value = value;
    }

    int weightGrams() {
        return weightGrams;
    }

    /** Parameters of four types, one of them an array. */
    double postage(boolean express, char category, float rate, int[] zones) {
        double sum = address.length() + category - 'A' + value / 100;
        for (int zone : zones) {
            sum += zone * rate;
        }
        return express ? 2 * sum : sum;
    }
}
