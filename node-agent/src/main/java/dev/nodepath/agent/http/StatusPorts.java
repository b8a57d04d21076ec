package dev.nodepath.agent.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The process's own ports. A port that cannot be bound is logged once and retried. */
public final class StatusPorts implements AutoCloseable {
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Logger LOG = LoggerFactory.getLogger(StatusPorts.class);

    private final HttpPorts server;
    private final ScheduledExecutorService retries = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "http-bind");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Closeable> open = new ArrayList<>();
    private boolean closed;

    /** No port yet. */
    public StatusPorts(HttpPorts server) {
        this.server = server;
    }

    /**
     * Serves a port.
     *
     * @param what the port's name in the log, such as {@code healthz}
     * @param hardFail whether a port that cannot be bound is an error
     * @throws IOException only with {@code hardFail}; the message names the address
     */
    public void serve(String what, InetSocketAddress address, PathHandler handler, boolean hardFail)
            throws IOException {
        try {
            bind(address, handler);
        } catch (IOException e) {
            if (hardFail) {
                throw new IOException(
                        what + " address " + text(address) + ": " + e.getMessage() + " (expected: a free port)", e);
            }
            LOG.atWarn()
                    .addKeyValue("for", what)
                    .addKeyValue("address", text(address))
                    .addKeyValue("error", e.getMessage())
                    .log("http.not_bound");
            retryLater(what, address, handler);
        }
    }

    private void retryLater(String what, InetSocketAddress address, PathHandler handler) {
        var unused = retries.schedule(
                () -> {
                    try {
                        bind(address, handler);
                        LOG.atInfo()
                                .addKeyValue("for", what)
                                .addKeyValue("address", text(address))
                                .log("http.bound");
                    } catch (IOException e) {
                        retryLater(what, address, handler);
                    }
                },
                RETRY.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private synchronized void bind(InetSocketAddress address, PathHandler handler) throws IOException {
        if (!closed) {
            open.add(server.listen(address, handler));
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    @Override
    public synchronized void close() {
        closed = true;
        retries.shutdownNow();
        for (Closeable port : open) {
            try {
                port.close();
            } catch (IOException e) {
                // The process ends anyway.
            }
        }
    }
}
