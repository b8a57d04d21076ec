package dev.nodepath.linux.namespace;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Receives notifications over its own socket, so that they never come between a request and its reply. */
final class KernelNetworkWatch implements NetworkWatch {
    private final NetlinkSocket socket;

    /** Takes over a socket that has joined the multicast groups. */
    public KernelNetworkWatch(NetlinkSocket socket) {
        this.socket = socket;
    }

    @Override
    public List<NetworkChange> await(Duration limit) throws LinuxNetException {
        List<NetworkChange> changes = new ArrayList<>();
        ByteBuffer datagram;
        try {
            datagram = socket.awaitDatagram("await changes", limit);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOBUFS) {
                return List.of(new NetworkChange(NetworkChange.Kind.LOST, false, 0, 0));
            }
            throw e;
        }
        for (NetlinkMessage message : NetlinkMessage.all(datagram)) {
            NetworkChange change = ChangeMessages.read(message);
            if (change != null) {
                changes.add(change);
            }
        }
        return changes;
    }

    @Override
    public void close() {
        socket.close();
    }
}
