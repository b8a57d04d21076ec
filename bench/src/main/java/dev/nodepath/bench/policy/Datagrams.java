package dev.nodepath.bench.policy;

import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Datagrams of the client to the server, each with its number. The server never answers, so for conntrack each one is
 * the first of its connection, and policies are asked about it.
 */
final class Datagrams implements AutoCloseable {
    /** The resolution of a time, about: the thread rests so long between two of them. */
    static final int INTERVAL_MICROS = 200;

    private static final int PORT = 9999;
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(1);
    private static final int SENT_MAX = 1 << 20;

    private final DatagramChannel sender;
    private final DatagramChannel receiver;
    private final ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
    private final long[] sentAt = new long[SENT_MAX];
    private int sent;
    private int received = -1;

    Datagrams(ContenderNode node) throws IOException {
        InetSocketAddress target = ContenderAddress.at(ContenderNode.SERVER, PORT);
        try (NetworkNamespace server = node.openServer()) {
            receiver = server.call(() -> DatagramChannel.open().bind(target));
        }
        receiver.configureBlocking(false);
        sender = node.client().call(() -> DatagramChannel.open().connect(target));
    }

    /** The milliseconds from then on until the first lost datagram, after which all are lost. */
    double millisUntilRefused(long sinceNanos) throws IOException, InterruptedException {
        long heard = System.nanoTime();
        int before = received;
        while (System.nanoTime() - heard < SILENCE_NANOS) {
            exchange(sinceNanos);
            if (received > before) {
                before = received;
                heard = System.nanoTime();
            }
        }
        return millis(sinceNanos, received + 1);
    }

    /** The milliseconds from then on until the first one was sent that arrived. */
    double millisUntilPassed(long sinceNanos) throws IOException, InterruptedException {
        int before = received;
        while (received == before) {
            exchange(sinceNanos);
        }
        return millis(sinceNanos, received);
    }

    private double millis(long sinceNanos, int datagram) {
        return (sentAt[datagram % SENT_MAX] - sinceNanos) / 1e6;
    }

    private void exchange(long sinceNanos) throws IOException, InterruptedException {
        if (System.nanoTime() - sinceNanos > NANOS_MAX) {
            throw new IOException("no change of what the server gets within " + NANOS_MAX / 1_000_000_000 + " s");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        sentAt[sent % SENT_MAX] = System.nanoTime();
        number.clear().putInt(sent).flip();
        sender.write(number);
        sent++;
        LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(INTERVAL_MICROS));
        while (receiver.receive(number.clear()) != null) {
            received = Math.max(received, number.getInt(0));
        }
    }

    @Override
    public void close() throws IOException {
        sender.close();
        receiver.close();
    }
}
