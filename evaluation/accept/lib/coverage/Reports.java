import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Enumeration;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.internal.analysis.ClassAnalyzer;
import org.jacoco.core.internal.analysis.ClassCoverageImpl;
import org.jacoco.core.internal.analysis.StringPool;
import org.jacoco.core.internal.analysis.filter.Filters;
import org.jacoco.core.internal.data.CRC64;
import org.jacoco.core.internal.flow.ClassProbesAdapter;
import org.jacoco.core.internal.instr.InstrSupport;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.xml.XMLFormatter;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXParseException;

/**
 * JaCoCo's own reports of the classes of a drill: one as it is, and one without the filters that leave out code which
 * JaCoCo takes for a compiler's. Prints the classes that ran under JaCoCo and are not in the drill, and checks our document
 * by JaCoCo's DTD.
 *
 * <p>Arguments: JaCoCo's file of executed probes, classes.zip, prefix of class names, the two reports, our document.
 */
final class Reports {
    public static void main(String[] args) throws Exception {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new File(args[0]));
        CoverageBuilder filtered = new CoverageBuilder();
        CoverageBuilder all = new CoverageBuilder();
        TreeSet<String> ran = new TreeSet<>();
        for (ExecutionData data : loader.getExecutionDataStore().getContents()) {
            if (data.getName().startsWith(args[2]) && data.hasHits()) {
                ran.add(data.getName());
            }
        }
        try (ZipFile zip = new ZipFile(args[1])) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements(); ) {
                byte[] bytes = zip.getInputStream(entries.nextElement()).readAllBytes();
                ClassReader reader = InstrSupport.classReaderFor(bytes);
                if (reader.getClassName().startsWith(args[2])) {
                    ran.remove(reader.getClassName());
                    new Analyzer(loader.getExecutionDataStore(), filtered).analyzeClass(bytes, reader.getClassName());
                    unfiltered(loader.getExecutionDataStore().get(CRC64.classId(bytes)), bytes, reader, all);
                }
            }
        }
        write(filtered, args[3]);
        write(all, args[4]);
        ran.forEach(name -> System.out.println("not in the drill: " + name));
        validate(new File(args[5]));
    }

    private static void unfiltered(ExecutionData data, byte[] bytes, ClassReader reader, CoverageBuilder builder) throws Exception {
        // JaCoCo leaves out synthetic classes too, but not by a filter.
        if ((reader.getAccess() & (Opcodes.ACC_MODULE | Opcodes.ACC_SYNTHETIC)) != 0) {
            return;
        }
        ClassCoverageImpl coverage = new ClassCoverageImpl(reader.getClassName(), CRC64.classId(bytes), false);
        ClassAnalyzer analyzer = new ClassAnalyzer(coverage, data == null ? null : data.getProbes(), new StringPool());
        Field filter = ClassAnalyzer.class.getDeclaredField("filter");
        filter.setAccessible(true);
        filter.set(analyzer, Filters.NONE);
        reader.accept(new ClassProbesAdapter(analyzer, false), 0);
        builder.visitCoverage(coverage);
    }

    private static void write(CoverageBuilder builder, String path) throws IOException {
        try (OutputStream out = new FileOutputStream(path)) {
            IReportVisitor report = new XMLFormatter().createVisitor(out);
            report.visitInfo(Collections.emptyList(), Collections.emptyList());
            report.visitBundle(builder.getBundle("oracle"), null);
            report.visitEnd();
        }
    }

    private static void validate(File file) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setValidating(true);
        DocumentBuilder builder = factory.newDocumentBuilder();
        byte[] dtd = XMLFormatter.class.getResourceAsStream("report.dtd").readAllBytes();
        builder.setEntityResolver((publicId, systemId) -> {
            if (!publicId.equals("-//JACOCO//DTD Report 1.1//EN")) {
                throw new IOException("the document is for " + publicId);
            }
            return new InputSource(new ByteArrayInputStream(dtd));
        });
        builder.setErrorHandler(new ErrorHandler() {
            @Override
            public void warning(SAXParseException e) {
                System.out.println("not valid: " + e);
            }

            @Override
            public void error(SAXParseException e) {
                System.out.println("not valid: " + e);
            }

            @Override
            public void fatalError(SAXParseException e) {
                System.out.println("not valid: " + e);
            }
        });
        builder.parse(file);
    }
}
