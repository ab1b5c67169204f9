package bench;

/** A workload's turns, one after the other: its class, and the number of turns. */
final class Turns implements Whole.Program {
    @Override
    public long run(String[] arguments) throws Exception {
        Workload workload = (Workload) Class.forName("bench." + arguments[0]).getDeclaredConstructor().newInstance();
        long value = 0;
        for (int turn = Integer.parseInt(arguments[1]); turn > 0; turn--) {
            value = workload.turn();
        }
        return value;
    }
}
