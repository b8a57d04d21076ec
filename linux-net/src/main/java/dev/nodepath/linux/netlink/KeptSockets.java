package dev.nodepath.linux.netlink;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Sockets of one namespace that stay open between their uses. Opening one takes as long as several requests. */
public final class KeptSockets {
    /** The most unused sockets. Each has a buffer of {@link NetlinkSocket#RECEIVE_BUFFER_BYTES}. */
    private static final int KEPT_MAX = 2;

    private final NetlinkSocket.Opener opener;
    private final Deque<NetlinkSocket> unused = new ArrayDeque<>();

    /** Opens nothing yet. */
    public KeptSockets(NetlinkSocket.Opener opener) {
        this.opener = opener;
    }

    /** A socket without another user. Its user gives it back, or closes it. */
    public NetlinkSocket take() throws LinuxNetException {
        synchronized (unused) {
            NetlinkSocket kept = unused.pollFirst();
            if (kept != null) {
                return kept;
            }
        }
        return opener.open();
    }

    /** Keeps a socket for its next user, unless an answer is still to come. The handle of this user is closed. */
    public void giveBack(NetlinkSocket socket) {
        Optional<NetlinkSocket> next = socket.passOn();
        if (next.isPresent() && !keep(next.get())) {
            next.get().close();
        }
    }

    private boolean keep(NetlinkSocket socket) {
        synchronized (unused) {
            if (unused.size() < KEPT_MAX) {
                unused.addFirst(socket);
                return true;
            }
        }
        return false;
    }
}
