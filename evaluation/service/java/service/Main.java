package service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with one small application, on a port of the loopback interface that the kernel chooses; runs until it is killed. */
public final class Main {

    private static final int THREADS = 4;

    private Main() {}

    /** Starts the server, with its folder as the only argument, and prints the port. */
    public static void main(String[] args) throws IOException, LifecycleException, InterruptedException {
        Path base = Files.createDirectories(Path.of(args[0]));
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        Connector connector = new Connector("org.apache.coyote.http11.Http11NioProtocol");
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("maxThreads", Integer.toString(THREADS));
        connector.setProperty("minSpareThreads", Integer.toString(THREADS));
        // A connection is kept as long as the load lasts.
        connector.setProperty("maxKeepAliveRequests", "-1");
        connector.setPort(0);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", base.toAbsolutePath().toString());
        Tomcat.addServlet(context, "catalogue", new CatalogueServlet()).addMapping("/catalogue");
        tomcat.start();
        System.out.println("port " + connector.getLocalPort());
        new CountDownLatch(1).await();
    }
}
