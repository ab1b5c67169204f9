/** Runs {@code sample.Main}, then prints the number of visits of each place in its methods. */
public final class VisitsOfSample {
    private VisitsOfSample() {
    }

    public static void main(String[] arguments) throws Exception {
        Class.forName("sample.Main").getMethod("main", String[].class).invoke(null, (Object) arguments);
        int[][] visits = (int[][]) Class.forName("java.lang.SplProbe").getField("visits").get(null);
        System.out.println("visits");
        for (int id = 0; id < visits.length; id++) {
            for (int place = 0; visits[id] != null && place < visits[id].length; place++) {
                if (visits[id][place] != 0) {
                    System.out.println(id + " " + (place - 3) + " " + visits[id][place]);
                }
            }
        }
    }
}
