import java.util.function.IntUnaryOperator;

/**
 * A class with sixty equal method references: javac gives them one constant, the JVM links each separately.
 */
final class Alike {
    static int measured(int x) {
        return x * 7;
    }

    static IntUnaryOperator[] all() {
        return new IntUnaryOperator[] {
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
            Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured, Alike::measured,
        };
    }
}
