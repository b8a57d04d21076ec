package dev.nodepath.emulator.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commands outside give a cluster orders over a unix socket: a line of JSON for the order, and one for the answer.
 * Only a user with access to the cluster's process finds the socket.
 */
public final class OrderSocket implements AutoCloseable {
    /** The socket's name below the cluster's folder. */
    public static final String NAME = "orders.sock";

    private static final Logger LOG = LoggerFactory.getLogger(OrderSocket.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long RETRY_MILLIS = 200;
    private static final String DONE = "done";
    private static final String REFUSED = "refused";

    private final ServerSocketChannel server;
    private final Orders orders;

    /** Carries orders out. */
    interface Orders {
        String act(JsonNode what) throws RefusedException, InterruptedException;
    }

    private OrderSocket(ServerSocketChannel server, Orders orders) {
        this.server = server;
        this.orders = orders;
    }

    /** Waits for orders in the background. */
    static OrderSocket listen(Path path, Orders orders) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        OrderSocket socket = new OrderSocket(server, orders);
        start(socket::accept);
        return socket;
    }

    /**
     * Gives an order to a running cluster, and waits until it is done.
     *
     * @param path of the socket, as this process sees it
     * @return the result, in a sentence
     * @throws RefusedException if the order was refused
     */
    public static String give(Path path, ObjectNode what) throws IOException, RefusedException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            send(channel, what);
            JsonNode answer = receive(channel);
            if (!answer.has(DONE)) {
                throw new RefusedException(
                        409, answer.path(REFUSED).asText("the cluster has ended before the order was done"));
            }
            return answer.path(DONE).asText();
        }
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                start(() -> serve(channel));
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.atWarn().addKeyValue("problem", e.getMessage()).log("orders.not_accepted");
                    pause();
                }
            }
        }
    }

    /** Without free descriptors the next try would fail at once too. */
    private static void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            send(channel, answer(receive(channel)));
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("problem", e.getMessage()).log("order.not_served");
        }
    }

    private ObjectNode answer(JsonNode what) {
        ObjectNode answer = JSON.createObjectNode();
        try {
            return answer.put(DONE, orders.act(what));
        } catch (RefusedException e) {
            return answer.put(REFUSED, e.getMessage());
        } catch (InterruptedException e) {
            return answer.put(REFUSED, "the cluster ends");
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("order", what)
                    .addKeyValue("problem", e.toString())
                    .log("order.failed");
            return answer.put(REFUSED, "it failed: " + e.getMessage());
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "orders");
        thread.setDaemon(true);
        thread.start();
    }

    private static void send(SocketChannel channel, ObjectNode what) throws IOException {
        Channels.newOutputStream(channel).write((what + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The next line; an empty object at the end, or if the line is no object. */
    private static JsonNode receive(SocketChannel channel) throws IOException {
        BufferedReader lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        String line = lines.readLine();
        try {
            return line == null ? JSON.createObjectNode() : JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return JSON.createObjectNode();
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("problem", e.getMessage()).log("orders.not_closed");
        }
    }
}
