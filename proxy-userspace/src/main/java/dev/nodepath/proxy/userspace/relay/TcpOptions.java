package dev.nodepath.proxy.userspace.relay;

import io.netty.channel.unix.Socket;
import java.io.IOException;

/**
 * Socket options of TCP connections, by {@code include/uapi/linux/in.h}, {@code tcp.h} and
 * {@code asm-generic/socket.h}. A connection that has failed refuses them. That is no error here: the next read or
 * write reports the failure.
 */
final class TcpOptions {
    private static final int SOL_SOCKET = 1;
    private static final int SO_PRIORITY = 12;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int TCP_CORK = 3;
    private static final int TCP_QUICKACK = 12;

    private TcpOptions() {}

    /** Ends Nagle's algorithm: small writes go at once. */
    static void sendAtOnce(Socket socket) {
        set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    }

    /** Holds the next write until the stream ends, so that both go in one packet. */
    static void holdForEnd(Socket socket) {
        set(socket, IPPROTO_TCP, TCP_CORK, 1);
    }

    /** Delays the acknowledgement, so that it goes with the first bytes. */
    static void delayAcknowledgement(Socket socket) {
        set(socket, IPPROTO_TCP, TCP_QUICKACK, 0);
    }

    /** Sends a delayed acknowledgement now. */
    static void acknowledge(Socket socket) {
        set(socket, IPPROTO_TCP, TCP_QUICKACK, 1);
    }

    /** Gives the socket's packets a priority, which rules match. Without CAP_NET_ADMIN they get none. */
    static void setPriority(Socket socket, int priority) {
        set(socket, SOL_SOCKET, SO_PRIORITY, priority);
    }

    /** Makes the close a reset (RST). It drops all unsent bytes. */
    static void resetAtClose(Socket socket) {
        try {
            socket.setSoLinger(0);
        } catch (IOException e) {
            // The connection was reset already.
        }
    }

    private static void set(Socket socket, int level, int option, int value) {
        try {
            socket.setIntOpt(level, option, value);
        } catch (IOException e) {
            // See above.
        }
    }
}
