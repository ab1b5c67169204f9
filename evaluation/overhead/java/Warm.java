import java.io.BufferedReader;
import java.io.InputStreamReader;

/** For each line "BURSTS PAUSE CALLS": calls a body of a few hundred nanoseconds CALLS times in each burst,
** and says "done". */
final class Warm {
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            int bursts = Integer.parseInt(words[0]);
            for (int i = 0; i < bursts; i++) {
                sink = burst(Integer.parseInt(words[2]));
                Thread.sleep(Integer.parseInt(words[1]));
            }
            System.out.println("done");
        }
    }

    private static long burst(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = body(x);
        }
        return x;
    }

    static long body(long x) {
        int[] table = new int[16];
        for (int i = 0; i < 100; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
            table[(int) x & 15] += i;
        }
        return x + table[0];
    }
}
