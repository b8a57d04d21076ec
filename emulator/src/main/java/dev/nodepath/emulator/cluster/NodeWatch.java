package dev.nodepath.emulator.cluster;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Notices nodes that are cut off or come back. Each node sends its name over the nodes' network to the control plane,
 * at the client's address. It tells the endpoints controller which leases have expired.
 */
final class NodeWatch implements AutoCloseable {
    /** The port of a real API server. */
    private static final int PORT = 6443;

    private static final int LOOK_MILLIS = 200;

    /** The shortest timeout of a socket, to read what has arrived. */
    private static final int DRAIN_MILLIS = 1;

    private static final int NAME_BYTES_MAX = 253;

    private final NodeLeases leases;
    private final EndpointsController controller;
    private final List<DatagramSocket> sockets = new ArrayList<>();
    private volatile boolean closed;

    private NodeWatch(NodeLeases leases, EndpointsController controller) {
        this.leases = leases;
        this.controller = controller;
    }

    /**
     * Starts the listener and the nodes' senders.
     *
     * @param hosts the namespace of a node by its name
     * @param control the control plane's namespace and its address there
     */
    static NodeWatch start(
            List<String> nodes,
            Function<String, NetworkNamespace> hosts,
            NetworkNamespace control,
            IpAddress address,
            NodeLeases leases,
            EndpointsController controller)
            throws IOException {
        NodeWatch watch = new NodeWatch(leases, controller);
        DatagramSocket listening = control.call(() -> new DatagramSocket(PORT));
        watch.sockets.add(listening);
        InetSocketAddress target = new InetSocketAddress(address.toInetAddress(), PORT);
        thread("leases", () -> watch.listen(listening));
        for (String node : nodes) {
            DatagramSocket sending = hosts.apply(node).call(() -> new DatagramSocket());
            watch.sockets.add(sending);
            leases.renew(node);
            thread("lease-" + node, () -> watch.send(node, sending, target));
        }
        return watch;
    }

    private void listen(DatagramSocket socket) {
        Set<String> lost = new TreeSet<>();
        DatagramPacket packet = new DatagramPacket(new byte[NAME_BYTES_MAX], NAME_BYTES_MAX);
        while (!closed) {
            try {
                socket.setSoTimeout(LOOK_MILLIS);
                while (true) {
                    socket.receive(packet);
                    leases.renew(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8));
                    packet.setLength(NAME_BYTES_MAX);
                    // Further heartbeats may have arrived while this thread was delayed.
                    socket.setSoTimeout(DRAIN_MILLIS);
                }
            } catch (SocketTimeoutException e) {
                // No more heartbeats have arrived: check the leases.
            } catch (IOException e) {
                return;
            }
            Set<String> now = leases.expired();
            if (!now.equals(lost)) {
                lost = now;
                tell(now);
            }
        }
    }

    private void tell(Set<String> lost) {
        try {
            controller.lose(lost);
        } catch (IOException e) {
            throw new IllegalStateException("EndpointSlices cannot be written", e);
        }
    }

    private void send(String node, DatagramSocket socket, InetSocketAddress target) {
        byte[] name = node.getBytes(StandardCharsets.UTF_8);
        while (!closed) {
            try {
                socket.send(new DatagramPacket(name, name.length, target));
            } catch (IOException e) {
                // A node that is cut off keeps trying.
            }
            if (!pause()) {
                return;
            }
        }
    }

    private synchronized boolean pause() {
        long deadline = System.nanoTime() + NodeLeases.RENEWAL.toNanos();
        try {
            for (long left = NodeLeases.RENEWAL.toMillis();
                    left > 0 && !closed;
                    left = (deadline - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
            return !closed;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        sockets.forEach(DatagramSocket::close);
    }
}
