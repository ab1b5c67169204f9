package bench;

import java.io.PrintWriter;
import org.eclipse.jdt.core.compiler.batch.BatchCompiler;

/** The batch compiler of Eclipse, with its own arguments. */
final class EcjBatch implements Whole.Program {
    @Override
    public long run(String[] arguments) {
        PrintWriter errors = new PrintWriter(System.err, true);
        if (!BatchCompiler.compile(arguments, errors, errors, null)) {
            throw new IllegalStateException("the sources were not compiled");
        }
        return 0;
    }
}
