package bench;

import org.apache.tools.ant.Main;

/** Ant with a build file: the first argument, and Ant's own arguments after it. */
final class AntBuild extends Main implements Whole.Program {
    private int status = -1;

    @Override
    public long run(String[] arguments) {
        startAnt(arguments, null, null);
        if (status != 0) {
            throw new IllegalStateException("Ant's status is " + status);
        }
        return status;
    }

    /** Ant would end the JVM here. */
    @Override
    protected void exit(int code) {
        status = code;
    }
}
