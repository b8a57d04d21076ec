package dev.nodepath.proxy.userspace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;

/** A client that sends all its datagrams from one port, and so is one flow to the kernel. */
final class UdpClient implements AutoCloseable {
    private static final int ANSWER_WAIT_MILLIS = 3000;

    private final DatagramSocket socket;

    private UdpClient(DatagramSocket socket) {
        this.socket = socket;
    }

    /**
     * A client of a server.
     *
     * @param where {@code host}, {@code pod} or {@code outside}
     */
    static UdpClient from(KernelTestNode node, String where, InetAddress server, int port) throws IOException {
        DatagramSocket socket = where.equals("host") ? new DatagramSocket() : node.inside(where, DatagramSocket::new);
        socket.setSoTimeout(ANSWER_WAIT_MILLIS);
        socket.connect(server, port);
        return new UdpClient(socket);
    }

    /** The answering endpoint; "nobody" if the kernel refuses, or if no answer comes. */
    String ask() throws IOException {
        DatagramPacket answer = new DatagramPacket(new byte[100], 100);
        try {
            socket.send(new DatagramPacket(new byte[] {1}, 1));
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), US_ASCII);
        } catch (SocketTimeoutException | PortUnreachableException e) {
            return "nobody";
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
