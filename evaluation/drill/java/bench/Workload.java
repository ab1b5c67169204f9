package bench;

/** A program in turns: each does the same work and gives the same value. */
interface Workload {
    /** One turn, of some 20 to 200 ms; the value depends on all that it computed. */
    long turn() throws Exception;
}
