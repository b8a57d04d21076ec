package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.function.UnaryOperator;

/** An endpoint for datagrams. */
public final class UdpBackend implements AutoCloseable {
    private final DatagramSocket socket;

    private UdpBackend(InetAddress address, UnaryOperator<byte[]> answer) throws IOException {
        socket = new DatagramSocket(0, address);
        Thread thread = new Thread(() -> serve(answer), "udp-backend");
        thread.setDaemon(true);
        thread.start();
    }

    public static UdpBackend echo() throws IOException {
        return new UdpBackend(InetAddress.getLoopbackAddress(), request -> request);
    }

    /** Answers every question with its name. */
    public static UdpBackend named(String name) throws IOException {
        return named(name, InetAddress.getLoopbackAddress());
    }

    public static UdpBackend named(String name, InetAddress address) throws IOException {
        return new UdpBackend(address, request -> name.getBytes(US_ASCII));
    }

    /** An address that refuses datagrams. */
    public static Endpoint refusing() throws IOException {
        try (DatagramSocket unused = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return Endpoint.ready(IpAddress.of(unused.getLocalAddress()), unused.getLocalPort(), "node-a");
        }
    }

    public Endpoint endpoint() {
        return Endpoint.ready(IpAddress.of(socket.getLocalAddress()), socket.getLocalPort(), "node-a");
    }

    private void serve(UnaryOperator<byte[]> answer) {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        try {
            while (true) {
                packet.setLength(65_536);
                socket.receive(packet);
                byte[] reply = answer.apply(java.util.Arrays.copyOf(packet.getData(), packet.getLength()));
                socket.send(new DatagramPacket(reply, reply.length, packet.getSocketAddress()));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
