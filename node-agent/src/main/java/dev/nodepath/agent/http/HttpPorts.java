package dev.nodepath.agent.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ports of the JDK's HTTP server: one accepting thread for each, and shared workers. A connection is for one request.
 */
public final class HttpPorts implements AutoCloseable {
    /**
     * The limit of requests at a time on all ports, unfinished requests of slow clients included; more are refused at
     * once.
     */
    static final int WORKERS_MAX = 64;

    private static final int BACKLOG = 128;
    private static final int IDLE_SECONDS = 30;
    private static final Logger LOG = LoggerFactory.getLogger(HttpPorts.class);

    private final ThreadPoolExecutor workers = new ThreadPoolExecutor(
            0, WORKERS_MAX, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), HttpPorts::daemon);

    static {
        // The server has no other setting for timeouts, and without them a client may take for ever. It reads them
        // once.
        limit("sun.net.httpserver.maxReqTime", 5);
        limit("sun.net.httpserver.maxRspTime", 30);
        limit("sun.net.httpserver.idleInterval", 30);
        limit("sun.net.httpserver.maxReqHeaderSize", 8192);
        limit("jdk.httpserver.maxConnections", 256);
    }

    /**
     * Serves one more port.
     *
     * @param address {@code 0.0.0.0} and {@code ::} mean every address of both families, as in Go
     * @return closes the port and its connections
     * @throws IOException if the port cannot be bound
     */
    public Closeable listen(InetSocketAddress address, PathHandler handler) throws IOException {
        HttpServer server = HttpServer.create(address, BACKLOG);
        server.setExecutor(workers);
        server.createContext("/", exchange -> answer(exchange, handler));
        server.start();
        return () -> server.stop(0);
    }

    /** Ends pending answers; the ports stay open until their own close. */
    @Override
    public void close() {
        workers.shutdownNow();
    }

    private static void answer(HttpExchange exchange, PathHandler handler) throws IOException {
        try (exchange) {
            HttpResponse response = respond(exchange.getRequestURI().getPath(), handler);
            byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
            response.headers().forEach(exchange.getResponseHeaders()::set);
            // The JDK's server reads some requests otherwise than proxies do. Nothing is read behind one.
            exchange.getResponseHeaders().set("Connection", "close");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.getResponseHeaders().set("Content-Length", Integer.toString(body.length));
                exchange.sendResponseHeaders(response.status(), -1);
            } else {
                exchange.sendResponseHeaders(response.status(), body.length == 0 ? -1 : body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static HttpResponse respond(String path, PathHandler handler) {
        try {
            return handler.handle(path);
        } catch (Exception e) {
            LOG.atWarn().addKeyValue("path", path).setCause(e).log("http.handler_failed");
            return HttpResponse.text(500, "failed: " + e.getMessage() + "\n");
        }
    }

    private static void limit(String property, int value) {
        System.getProperties().putIfAbsent(property, Integer.toString(value));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "http-worker");
        thread.setDaemon(true);
        return thread;
    }
}
