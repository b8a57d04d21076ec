package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.PortConnection;
import dev.nodepath.apiserver.stream.PortOutput;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;

/**
 * A connection to a port of a Pod, from inside its network namespace: to its loopback address, as a kubelet makes it.
 */
final class PodPort implements PortConnection {
    private static final int CONNECT_MILLIS_MAX = 5000;
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Socket socket;

    private PodPort(Socket socket) {
        this.socket = socket;
    }

    static PodPort connect(NetworkNamespace pod, int port, PortOutput output) throws IOException {
        Socket socket = pod.call(() -> {
            Socket opened = new Socket();
            try {
                opened.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS_MAX);
                return opened;
            } catch (IOException e) {
                opened.close();
                throw e;
            }
        });
        Thread reader = new Thread(() -> read(socket, output), "port-" + port);
        reader.setDaemon(true);
        reader.start();
        return new PodPort(socket);
    }

    @Override
    public void send(byte[] octets) {
        try {
            socket.getOutputStream().write(octets);
        } catch (IOException e) {
            close();
        }
    }

    @Override
    public void closeInput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            close();
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It counts as closed all the same.
            return;
        }
    }

    private static void read(Socket socket, PortOutput output) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = socket.getInputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                output.receive(Arrays.copyOf(buffer, read));
            }
            output.ended();
        } catch (IOException e) {
            output.failed(String.valueOf(e.getMessage()));
        }
    }
}
