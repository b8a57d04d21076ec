package dev.nodepath.dns;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Queries over a connection. */
final class TcpClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 300_000;
    private final Socket socket;
    private final DataInputStream in;

    TcpClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    void send(byte... bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    byte[] receive() throws IOException {
        byte[] response = new byte[in.readUnsignedShort()];
        in.readFully(response);
        return response;
    }

    /** Whether the server has closed it; waits for that. */
    boolean isClosed() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return e.getMessage() != null && e.getMessage().contains("reset");
        }
    }

    static byte[] framed(byte[] query) {
        return ByteBuffer.allocate(query.length + 2)
                .putShort((short) query.length)
                .put(query)
                .array();
    }

    void end() throws IOException {
        socket.close();
    }

    @Override
    public void close() throws IOException {
        end();
    }
}
