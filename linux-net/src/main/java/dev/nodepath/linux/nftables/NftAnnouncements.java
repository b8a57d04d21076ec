package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's announcements of changes to nf_tables: which tables other programs have changed. A generation number
 * tells only that some table has changed. Not thread-safe.
 */
final class NftAnnouncements implements AutoCloseable {
    /** Attribute 1 names the table in all these messages, from {@code NEWTABLE} to {@code DELSETELEM}. */
    private static final int TABLE = 1;

    private static final int NO_LONGER_OF_TABLES = NftMessages.SUBSYSTEM << 8 | 15;
    private static final int PORT_OFFSET = 12;

    private final NetlinkSocket.Opener opener;
    private @Nullable NetlinkSocket socket;
    private final Set<String> changed = new HashSet<>();

    /** The tables whose changes were all announced since the last question. */
    private final Set<String> known = new HashSet<>();

    /** Opens nothing yet; the opener is for netfilter sockets that get the group {@link KernelNft#ANNOUNCEMENTS}. */
    NftAnnouncements(NetlinkSocket.Opener opener) {
        this.opener = opener;
    }

    /** Whether other programs may have changed a table since the last question about it. */
    boolean mayHaveChanged(NftTable table, int ownPort) throws LinuxNetException {
        if (socket == null) {
            socket = opener.open();
        }
        read(ownPort);
        String key = key(table.family().number(), table.name());
        boolean unknown = known.add(key);
        return changed.remove(key) || unknown;
    }

    /**
     * Reads the announcements, so that the socket's queue does not overflow. Does nothing before the first question.
     */
    void read(int ownPort) throws LinuxNetException {
        while (socket != null) {
            try {
                ByteBuffer datagram = socket.pollDatagram("read nf_tables announcements");
                if (!datagram.hasRemaining()) {
                    return;
                }
                if (datagram.order(ByteOrder.nativeOrder()).getInt(PORT_OFFSET) != ownPort) {
                    NetlinkMessage.all(datagram).forEach(this::take);
                }
            } catch (LinuxNetException e) {
                if (e.errno() != Errno.ENOBUFS) {
                    throw e;
                }
                known.clear();
            }
        }
    }

    private void take(NetlinkMessage message) {
        if (message.type() >= NftMessages.NEWTABLE && message.type() < NO_LONGER_OF_TABLES) {
            String table = message.attributes(NftMessages.NFGENMSG_BYTES).text(TABLE);
            String key = key(message.payload().get(0) & 0xFF, table);
            if (known.contains(key)) {
                changed.add(key);
            }
        }
    }

    private static String key(int family, String table) {
        return family + " " + table;
    }

    @Override
    public void close() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
