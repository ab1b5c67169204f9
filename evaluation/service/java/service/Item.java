package service;

/** Something that is for sale. */
final class Item {

    private final String name;
    private final int cents;

    Item(String name, int cents) {
        this.name = name;
        this.cents = cents;
    }

    String name() {
        return name;
    }

    int cents() {
        return cents;
    }
}
