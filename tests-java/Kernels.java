/**
 * Two programs of opposite kinds: {@code sor} relaxes a grid of doubles as SciMark 2 does, {@code tree} adds up a binary tree as JOlden's
 * TreeAdd does. The argument says which.
 */
public final class Kernels {
    private static final class Tree {
        int value = 1;
        Tree left;
        Tree right;

        Tree(int depth) {
            if (depth > 1) {
                left = new Tree(depth - 1);
                right = new Tree(depth - 1);
            }
        }

        int sum() {
            int sum = value;
            if (left != null) sum += left.sum();
            if (right != null) sum += right.sum();
            return sum;
        }
    }

    private Kernels() {}

    static double sor(double[][] grid, int turns) {
        double omega = 1.25;
        for (int turn = 0; turn < turns; turn++) {
            for (int i = 1; i < grid.length - 1; i++) {
                double[] row = grid[i];
                double[] above = grid[i - 1];
                double[] below = grid[i + 1];
                for (int j = 1; j < row.length - 1; j++) {
                    row[j] = omega * 0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]) + (1 - omega) * row[j];
                }
            }
        }
        return grid[1][1];
    }

    public static void main(String[] arguments) {
        System.out.println("ready");
        boolean done;
        if (arguments[0].equals("sor")) {
            double[][] grid = new double[50][50];
            for (double[] row : grid) row[0] = 1;
            done = sor(grid, 100) > 0;
        } else {
            done = new Tree(14).sum() == (1 << 14) - 1;
        }
        System.out.println(done ? "ended" : "wrong");
    }
}
