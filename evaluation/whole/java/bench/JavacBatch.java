package bench;

import javax.tools.ToolProvider;

/** The compiler of the JDK, with its own arguments. */
final class JavacBatch implements Whole.Program {
    @Override
    public long run(String[] arguments) {
        int status = ToolProvider.getSystemJavaCompiler().run(null, System.err, System.err, arguments);
        if (status != 0) {
            throw new IllegalStateException("javac's status is " + status);
        }
        return status;
    }
}
