package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nf_tables of a namespace, over a socket of its own that is opened when it is first needed.
 *
 * <p>Closing the socket takes some 10 ms after a removal or a repeated addition of a chain: the kernel waits until no
 * processor uses the old rules ({@code nft_rcv_nl_event}).
 */
public final class KernelNft implements AutoCloseable {
    private final NetlinkSocket.Opener opener;
    private @Nullable NetlinkSocket socket;

    /** Opens nothing yet; the opener is for netfilter sockets in the namespace. */
    public KernelNft(NetlinkSocket.Opener opener) {
        this.opener = opener;
    }

    public List<NftListedRule> rules(NftChain chain) throws LinuxNetException {
        List<NftListedRule> rules = new ArrayList<>();
        for (NetlinkMessage message : list(chain)) {
            rules.add(NftMessages.read(message));
        }
        return rules;
    }

    public List<NftJump> jumps(NftChain chain) throws LinuxNetException {
        List<NftJump> jumps = new ArrayList<>();
        for (NetlinkMessage message : list(chain)) {
            NftMessages.readJump(message).ifPresent(jumps::add);
        }
        return jumps;
    }

    private List<NetlinkMessage> list(NftChain chain) throws LinuxNetException {
        List<NetlinkMessage> listed = new ArrayList<>();
        try {
            String operation = "list rules of chain " + chain.name();
            for (NetlinkMessage message : exchange(operation, List.of(NftMessages.listRules(chain)))) {
                if (NftMessages.isOf(chain, message)) {
                    listed.add(message);
                }
            }
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT && !isWithoutNft(e)) {
                throw e;
            }
        }
        return listed;
    }

    /** A kernel without netfilter sockets, or without nf_tables ({@code nfnetlink_rcv_msg}), has no rules. */
    private static boolean isWithoutNft(LinuxNetException e) {
        return e.errno() == Errno.EPROTONOSUPPORT || e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EINVAL;
    }

    public void apply(List<NftChange> changes) throws LinuxNetException {
        if (!changes.isEmpty()) {
            String operation =
                    "change nf_tables chain " + changes.get(0).chain().name();
            List<NetlinkMessage> unused = exchange(operation, NftMessages.transaction(changes));
        }
    }

    /** A socket on which an answer was given up is not used again: the kernel may still be busy with that answer. */
    private synchronized List<NetlinkMessage> exchange(String operation, List<NetlinkRequest> requests)
            throws LinuxNetException {
        try {
            return socket().exchange(operation, requests);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.EAGAIN || e.errno() == Errno.EIO || e.errno() == Errno.EBUSY) {
                close();
            }
            throw e;
        }
    }

    private NetlinkSocket socket() throws LinuxNetException {
        if (socket == null) {
            socket = opener.open();
        }
        return socket;
    }

    @Override
    public synchronized void close() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
