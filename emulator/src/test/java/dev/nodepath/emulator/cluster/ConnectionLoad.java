package dev.nodepath.emulator.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * New connections from a pod at a fixed rate, one request on each. One of two connections is closed first by the pod,
 * the other by the server: the side that closes first keeps the connection's addresses for a minute.
 */
final class ConnectionLoad implements AutoCloseable {
    /**
     * A first packet is sent again after 1, 3, 7 and 15 s. A connection without an answer to any of these five is
     * lost.
     */
    private static final Duration FIVE_TRIES = Duration.ofSeconds(20);

    private static final Duration ANSWER_MAX = Duration.ofMinutes(2);
    private static final Duration TRY = Duration.ofSeconds(1);
    private static final int CHECK_MILLIS = 5;

    /**
     * On a quiet machine one connection is open at a time. With many, a busy machine's servers fall behind by seconds,
     * and an ending relay resets connections that wait longer than it drains.
     */
    private static final int OPEN_MAX = 8;

    private static final String ASK = "GET / HTTP/1.1\r\nHost: web\r\nConnection: %s\r\n\r\n";

    private final String name;
    private final List<InetSocketAddress> targets;
    private final long pauseNanos;
    private final List<String> lost = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final Thread thread;
    private long answered;
    private long late;
    private volatile boolean stopped;

    private ConnectionLoad(String name, NetworkNamespace pod, List<InetSocketAddress> targets, int perSecond) {
        this.name = name;
        this.targets = List.copyOf(targets);
        this.pauseNanos = Duration.ofSeconds(1).toNanos() / perSecond;
        this.thread = new Thread(() -> run(pod), "load-" + name);
    }

    /** A connection that has no answer yet. */
    private static final class Call {
        private final SocketChannel channel;
        private final InetSocketAddress target;
        private final boolean closesFirst;
        private final long start = System.nanoTime();
        private final ByteBuffer answer = ByteBuffer.allocate(1024);

        Call(SocketChannel channel, InetSocketAddress target, boolean closesFirst) {
            this.channel = channel;
            this.target = target;
            this.closesFirst = closesFirst;
        }

        boolean isOlderThan(Duration age) {
            return System.nanoTime() - start > age.toNanos();
        }
    }

    /** Starts it, with the targets in turns. */
    static ConnectionLoad start(String name, NetworkNamespace pod, List<InetSocketAddress> targets, int perSecond) {
        ConnectionLoad load = new ConnectionLoad(name, pod, targets, perSecond);
        load.thread.start();
        return load;
    }

    /** The fate of each connection without an answer. */
    synchronized List<String> lost() {
        return List.copyOf(lost);
    }

    /** How many were answered until now. */
    synchronized long answered() {
        return answered;
    }

    /** Opens no more connections, and waits for the open ones. */
    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(NetworkNamespace pod) {
        try {
            pod.call(() -> {
                try (Selector selector = Selector.open()) {
                    callInTurns(selector);
                }
                return true;
            });
        } catch (LinuxNetException e) {
            lose("load ended: " + e);
        }
    }

    private void callInTurns(Selector selector) {
        try {
            long next = System.nanoTime();
            for (long number = 0; !stopped || !calls.isEmpty(); ) {
                if (!stopped && calls.size() < OPEN_MAX && System.nanoTime() - next >= 0) {
                    begin(selector, number++);
                    // Starts that a busy machine missed are not made up for.
                    next = Math.max(next + pauseNanos, System.nanoTime() - pauseNanos);
                } else {
                    selector.select(CHECK_MILLIS);
                }
                for (SelectionKey key : selector.selectedKeys()) {
                    go((Call) key.attachment(), key);
                }
                selector.selectedKeys().clear();
                giveUp(selector);
            }
        } catch (IOException e) {
            lose("load ended: " + e);
        }
    }

    private void begin(Selector selector, long number) throws IOException {
        InetSocketAddress target = targets.get((int) (number / 2 % targets.size()));
        Call call = new Call(SocketChannel.open(), target, number % 2 == 0);
        call.channel.configureBlocking(false);
        SelectionKey key = call.channel.register(selector, SelectionKey.OP_CONNECT, call);
        calls.add(call);
        try {
            if (call.channel.connect(target)) {
                go(call, key);
            }
        } catch (IOException e) {
            end(call, e.toString());
        }
    }

    private void go(Call call, SelectionKey key) {
        try {
            if (call.channel.isConnectionPending() || key.isConnectable()) {
                if (call.channel.finishConnect()) {
                    connected(call, key);
                }
            } else {
                boolean ends = call.channel.read(call.answer) < 0;
                String answer = new String(call.answer.array(), 0, call.answer.position(), US_ASCII);
                boolean whole = answer.contains("\"pod\"") && answer.contains("}");
                if (ends || (whole && call.closesFirst)) {
                    end(call, whole ? "" : "an end without an answer");
                }
            }
        } catch (IOException e) {
            end(call, e.toString());
        }
    }

    private void connected(Call call, SelectionKey key) throws IOException {
        if (call.isOlderThan(TRY)) {
            synchronized (this) {
                late++;
            }
        }
        key.interestOps(SelectionKey.OP_READ);
        call.channel.write(ByteBuffer.wrap(
                ASK.formatted(call.closesFirst ? "keep-alive" : "close").getBytes(US_ASCII)));
    }

    /** It looks before it gives up: on a busy machine the answer may be there already. */
    private void giveUp(Selector selector) {
        for (Call call : List.copyOf(calls)) {
            boolean connecting = call.channel.isConnectionPending();
            if (call.isOlderThan(connecting ? FIVE_TRIES : ANSWER_MAX)) {
                SelectionKey key = call.channel.keyFor(selector);
                go(call, key);
                if (call.channel.isOpen() && connecting == call.channel.isConnectionPending()) {
                    end(call, connecting ? "no answer to five first packets" : "no answer to the request");
                }
            }
        }
    }

    private void end(Call call, String problem) {
        calls.remove(call);
        String local = "";
        try {
            local = String.valueOf(call.channel.getLocalAddress());
            call.channel.close();
        } catch (IOException e) {
            // It is not used any more.
        }
        if (problem.isEmpty()) {
            synchronized (this) {
                answered++;
            }
        } else {
            lose(local + " to " + call.target + ": " + problem);
        }
    }

    private synchronized void lose(String what) {
        lost.add(what);
    }

    @Override
    public synchronized String toString() {
        return name + ": answered " + answered + ", of these at a second packet or later " + late + ", lost "
                + lost.size() + " " + lost;
    }
}
