package dev.nodepath.bench.testbed;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;

/** Answers every datagram with itself, until it is closed. */
final class UdpEcho implements AutoCloseable {
    private static final int DATAGRAM_BYTES_MAX = 2048;

    private final DatagramSocket socket;

    /** Listens at an address of a namespace. */
    public UdpEcho(NetworkNamespace namespace, InetSocketAddress address) throws LinuxNetException {
        this.socket = namespace.call(() -> new DatagramSocket(address));
        Thread thread = new Thread(this::answer, "udp-echo");
        thread.setDaemon(true);
        thread.start();
    }

    private void answer() {
        DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX], DATAGRAM_BYTES_MAX);
        while (!socket.isClosed()) {
            packet.setLength(DATAGRAM_BYTES_MAX);
            try {
                socket.receive(packet);
                socket.send(packet);
            } catch (IOException e) {
                // The client is gone, or this socket is closed. The loop ends, or echoes the next datagram.
                packet.setLength(0);
            }
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
