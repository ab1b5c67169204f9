package truth;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * The program of {@link Mix}, with two clock reads around each call. For a line with a number of periods and the milliseconds of each
 * it prints for each method the mean nanoseconds of a call in the middle period, and of an empty method behind them.
 */
public final class Timed {
    private static volatile long result;

    private Timed() {}

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        List<LongUnaryOperator> methods = new ArrayList<>(Mix.all().values());
        methods.add(value -> value);
        System.out.println(String.join(" ", Mix.all().keySet()));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            double[][] means = new double[methods.size()][Integer.parseInt(words[0])];
            for (int period = 0; period < means[0].length; period++) {
                double[] ofPeriod = means(methods, 1_000_000L * Integer.parseInt(words[1]));
                for (int method = 0; method < ofPeriod.length; method++) {
                    means[method][period] = ofPeriod[method];
                }
            }
            StringBuilder answer = new StringBuilder();
            for (double[] ofMethod : means) {
                Arrays.sort(ofMethod);
                answer.append(ofMethod[ofMethod.length / 2]).append(' ');
            }
            System.out.println(answer.toString().trim());
        }
    }

    private static double[] means(List<LongUnaryOperator> methods, long nanoseconds) {
        long[] sums = new long[methods.size()];
        long value = result;
        long rounds = 0;
        long until = System.nanoTime() + nanoseconds;
        do {
            int method = 0;
            for (LongUnaryOperator operator : methods) {
                long start = System.nanoTime();
                value = operator.applyAsLong(value);
                sums[method++] += System.nanoTime() - start;
            }
            rounds++;
        } while (System.nanoTime() < until);
        result = value;
        double[] means = new double[sums.length];
        for (int i = 0; i < means.length; i++) {
            means[i] = (double) sums[i] / rounds;
        }
        return means;
    }
}
