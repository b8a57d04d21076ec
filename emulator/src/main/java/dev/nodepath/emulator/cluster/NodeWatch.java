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
 * Notices nodes that are cut off or come back. Each node sends its name to the control plane, which is where the client is, in
 * packets that go the nodes' way; the endpoints controller is told of those whose lease has expired.
 */
final class NodeWatch implements AutoCloseable {
    /** Where the API server would be. */
    private static final int PORT = 6443;

    private static final int LOOK_MILLIS = 200;

    /** For what is in the socket already; the shortest time that can be waited. */
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
     * Starts to listen, and the nodes to send.
     *
     * @param hosts the namespace of a node by its name
     * @param control where the control plane is, and its address there
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
                    // Others may have said something too while this thread stood still.
                    socket.setSoTimeout(DRAIN_MILLIS);
                }
            } catch (SocketTimeoutException e) {
                // Nobody has anything more to say: time to look who should have.
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
                // A node that is cut off goes on trying.
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
