package dev.nodepath.proxy.userspace.relay;

import io.netty.channel.unix.Socket;

/**
 * Nagle's algorithm on one socket. It ends (TCP_NODELAY) before the second write: the first write is sent at once
 * anyway, and a connection with a single write saves the system call.
 */
final class Nagle {
    private State state;

    private enum State {
        /** It is on, and nothing was sent yet. */
        ON,
        /** It is on, and one write was made. */
        ON_AFTER_FIRST,
        /** It is off. */
        OFF
    }

    /** The algorithm as a socket has it. An accepted socket inherits the option of its listener. */
    Nagle(boolean off) {
        state = off ? State.OFF : State.ON;
    }

    void beforeWrite(Socket socket) {
        if (state == State.ON) {
            state = State.ON_AFTER_FIRST;
        } else if (state == State.ON_AFTER_FIRST) {
            state = State.OFF;
            TcpOptions.sendAtOnce(socket);
        }
    }
}
