package dev.nodepath.agent.http;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves any number of ports with one thread that does no more than pass bytes, and a few that work out the answers.
 *
 * <p>The JDK's server has a thread for each port and lets a slow client hold one of its workers; there may be hundreds of
 * health check ports here, open to everyone who reaches the node.
 */
public final class HttpServer implements AutoCloseable {
    /** Clients at a time on all ports; more are sent away at once. */
    static final int CONNECTIONS_MAX = 256;

    private static final int WORKERS = 2;
    private static final int WAITING_MAX = CONNECTIONS_MAX;
    private static final int BACKLOG = 128;
    private static final long SWEEP_MS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

    private final Duration clientTimeout;
    private final Selector selector;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ThreadPoolExecutor workers;
    private volatile boolean closed;

    /** A server without a port; its threads do not keep the process alive. */
    public HttpServer() throws IOException {
        this(HttpConnection.CLIENT_TIMEOUT);
    }

    /**
     * A server without a port.
     *
     * @param clientTimeout how long a client may take to send its request, and again to take the answer
     */
    HttpServer(Duration clientTimeout) throws IOException {
        this.clientTimeout = clientTimeout;
        selector = Selector.open();
        workers = new ThreadPoolExecutor(
                WORKERS,
                WORKERS,
                1,
                TimeUnit.MINUTES,
                new ArrayBlockingQueue<>(WAITING_MAX),
                task -> daemon("http-worker", task));
        workers.allowCoreThreadTimeOut(true);
        daemon("http", this::run).start();
    }

    /**
     * Serves one more port.
     *
     * @param address {@code 0.0.0.0} is every IPv4 address, {@code ::} every address
     * @return closes the port; connections that are open end as usual
     * @throws IOException if the port cannot be bound
     */
    public Closeable listen(InetSocketAddress address, HttpHandler handler) throws IOException {
        boolean v4 = address.getAddress().getAddress().length == 4;
        ServerSocketChannel port =
                ServerSocketChannel.open(v4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            port.bind(address, BACKLOG);
            port.configureBlocking(false);
        } catch (IOException | RuntimeException e) {
            port.close();
            throw e;
        }
        execute(() -> register(port, handler));
        return () -> {
            port.close();
            // A closed channel is let go of only when its selector looks.
            selector.wakeup();
        };
    }

    /** Ends every port and connection. */
    @Override
    public void close() {
        closed = true;
        workers.shutdownNow();
        selector.wakeup();
    }

    private void execute(Runnable task) {
        tasks.add(task);
        selector.wakeup();
    }

    private void register(ServerSocketChannel port, HttpHandler handler) {
        try {
            port.register(selector, SelectionKey.OP_ACCEPT, handler);
        } catch (IOException e) {
            // Closed again before it was served.
        }
    }

    private void run() {
        try (selector) {
            while (!closed) {
                selector.select(this::ready, SWEEP_MS);
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
                sweep();
            }
        } catch (IOException e) {
            LOG.atError().setCause(e).log("http.failed");
        } finally {
            new ArrayList<>(selector.isOpen() ? selector.keys() : java.util.Set.<SelectionKey>of())
                    .forEach(key -> quietlyClose(key.channel()));
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept((ServerSocketChannel) key.channel(), (HttpHandler) key.attachment());
            } else if (key.isReadable()) {
                read(key, (HttpConnection) key.attachment());
            } else if (key.isWritable() && ((HttpConnection) key.attachment()).write()) {
                quietlyClose(key.channel());
            }
        } catch (IOException | CancelledKeyException e) {
            // The client is gone; and a port that cannot accept, for want of descriptors, goes on with the next.
            if (key.attachment() instanceof HttpConnection) {
                quietlyClose(key.channel());
            }
        }
    }

    private void accept(ServerSocketChannel port, HttpHandler handler) throws IOException {
        SocketChannel client = port.accept();
        if (client == null) {
            return;
        }
        long connections = selector.keys().stream()
                .filter(key -> key.attachment() instanceof HttpConnection)
                .count();
        if (connections >= CONNECTIONS_MAX) {
            client.close();
            return;
        }
        client.configureBlocking(false);
        client.register(
                selector, SelectionKey.OP_READ, new HttpConnection(client, handler, clientTimeout, System.nanoTime()));
    }

    private void read(SelectionKey key, HttpConnection connection) throws IOException {
        HttpConnection.Received received = connection.read(System.nanoTime());
        if (received == null) {
            return;
        }
        key.interestOps(0);
        HttpRequest request = received.request();
        if (received.refusal() != null || request == null) {
            answer(
                    key,
                    connection,
                    received.refusal() == null
                            ? new byte[0]
                            : received.refusal().toBytes(true));
            return;
        }
        try {
            workers.execute(() -> {
                byte[] bytes =
                        respond(connection, request).toBytes(request.method().equals("GET"));
                execute(() -> answer(key, connection, bytes));
            });
        } catch (RejectedExecutionException e) {
            answer(key, connection, HttpResponse.text(503, "busy\n").toBytes(true));
        }
    }

    private static HttpResponse respond(HttpConnection connection, HttpRequest request) {
        try {
            return connection.handler().handle(request);
        } catch (Exception e) {
            LOG.atWarn().addKeyValue("path", request.path()).setCause(e).log("http.handler_failed");
            return HttpResponse.text(500, "failed: " + e.getMessage() + "\n");
        }
    }

    private static void answer(SelectionKey key, HttpConnection connection, byte[] bytes) {
        if (key.isValid()) {
            connection.answer(bytes, System.nanoTime());
            key.interestOps(SelectionKey.OP_WRITE);
        }
    }

    private void sweep() {
        long now = System.nanoTime();
        for (SelectionKey key : selector.keys()) {
            if (key.attachment() instanceof HttpConnection connection && connection.isLate(now)) {
                quietlyClose(key.channel());
            }
        }
    }

    private static void quietlyClose(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }
}
