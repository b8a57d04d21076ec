package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRefusal;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.netlink.NetlinkTransaction;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The nf_tables of a namespace, over a socket of its own that is opened when it is first needed.
 *
 * <p>Closing the socket takes some 10 ms after a removal or a repeated addition of a chain: the kernel waits until no
 * processor uses the old rules ({@code nft_rcv_nl_event}).
 */
public final class KernelNft implements NftTables {
    /** The most readings of a table that changed meanwhile. */
    private static final int READ_ATTEMPTS_MAX = 20;

    /** The group of netfilter sockets that announces changes of nf_tables ({@code NFNLGRP_NFTABLES}). */
    public static final int ANNOUNCEMENTS = 7;

    private final NetlinkSocket.Opener opener;
    private final Runnable release;
    private final NftAnnouncements announcements;
    private @Nullable NetlinkSocket socket;

    /** Opens nothing yet, and gets no announcements; the opener is for netfilter sockets in the namespace. */
    public KernelNft(NetlinkSocket.Opener opener) {
        this(
                opener,
                () -> {
                    throw new IllegalStateException("opened without announcements of nf_tables");
                },
                () -> {});
    }

    /**
     * Does not open a socket yet.
     *
     * @param opener opens netfilter sockets in the namespace
     * @param announcements opens such sockets that get announcements of nf_tables
     * @param release closes the resources of the opener
     */
    public KernelNft(NetlinkSocket.Opener opener, NetlinkSocket.Opener announcements, Runnable release) {
        this.opener = opener;
        this.announcements = new NftAnnouncements(announcements);
        this.release = release;
    }

    /** Whether there is a table; not so if the kernel has no nf_tables. */
    public boolean has(NftTable table) throws LinuxNetException {
        return !find(table).isEmpty();
    }

    /** Whether there is a table that sees packets. */
    public boolean isInForce(NftTable table) throws LinuxNetException {
        return find(table).stream().anyMatch(found -> !NftTableReader.isDormant(found));
    }

    private List<NetlinkMessage> find(NftTable table) throws LinuxNetException {
        try {
            return exchange("find table " + table, NftQueries.table(table));
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT || isWithoutNft(e)) {
                return List.of();
            }
            throw e;
        }
    }

    public List<NftListedRule> rules(NftChain chain) throws LinuxNetException {
        List<NftListedRule> rules = new ArrayList<>();
        for (NetlinkMessage message : list(chain)) {
            rules.add(NftRuleReader.read(message));
        }
        return rules;
    }

    public List<NftJump> jumps(NftChain chain) throws LinuxNetException {
        List<NftJump> jumps = new ArrayList<>();
        for (NetlinkMessage message : list(chain)) {
            NftRuleReader.readJump(message).ifPresent(jumps::add);
        }
        return jumps;
    }

    private List<NetlinkMessage> list(NftChain chain) throws LinuxNetException {
        List<NetlinkMessage> listed = new ArrayList<>();
        try {
            String operation = "list rules of chain " + chain.name();
            for (NetlinkMessage message : exchange(operation, NftQueries.rules(chain))) {
                if (NftRuleReader.isOf(chain, message)) {
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

    /** The elements of a set, in any order; empty if the set is missing or the kernel has no nf_tables. */
    public List<NftElement> elements(NftSet set) throws LinuxNetException {
        try {
            return List.copyOf(NftTableReader.elementsByKey(set.table(), set.name(), this::exchange)
                    .values());
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT || isWithoutNft(e)) {
                return List.of();
            }
            throw e;
        }
    }

    /** A kernel without netfilter sockets, or without nf_tables ({@code nfnetlink_rcv_msg}), has no rules. */
    private static boolean isWithoutNft(LinuxNetException e) {
        return e.errno() == Errno.EPROTONOSUPPORT || e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EINVAL;
    }

    /** Makes changes, all or none of them. */
    public void apply(List<NftChange> changes) throws LinuxNetException {
        if (changes.isEmpty()) {
            return;
        }
        try {
            apply(NftTransaction.of(changes));
        } catch (NftRefusedException e) {
            throw new LinuxNetException("change nf_tables", e.errno().number(), String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void apply(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        transact(transaction, transaction.messages());
    }

    @Override
    public void check(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        transact(transaction, transaction.messagesOfTrial());
    }

    private void transact(NftTransaction transaction, NetlinkTransaction messages)
            throws LinuxNetException, NftRefusedException {
        List<NetlinkRefusal> refusals = use(socket -> {
            List<NetlinkRefusal> refused = socket.transact("change nf_tables", messages);
            announcements.read(socket.port());
            return refused;
        });
        if (!refusals.isEmpty()) {
            throw transaction.refusal(refusals);
        }
    }

    @Override
    public boolean mayHaveChanged(NftTable table) throws LinuxNetException {
        return use(socket -> announcements.mayHaveChanged(table, socket.port()));
    }

    @Override
    public int transactionBytesMax() throws LinuxNetException {
        return use(NetlinkSocket::transactionBytesMax);
    }

    @Override
    public int generation() throws LinuxNetException {
        String operation = "read nf_tables generation";
        List<NetlinkMessage> answer = exchange(operation, NftQueries.generation());
        if (answer.isEmpty()) {
            throw new LinuxNetException(operation, Errno.EIO.number(), "no number in the answer");
        }
        return NftQueries.generation(answer.get(0));
    }

    private List<NetlinkMessage> exchange(String operation, NetlinkRequest request) throws LinuxNetException {
        return use(socket -> socket.exchange(operation, request));
    }

    private interface Use<T> {
        T of(NetlinkSocket socket) throws LinuxNetException;
    }

    /** A socket on which an answer was given up is not used again: the kernel may still be busy with that answer. */
    private synchronized <T> T use(Use<T> use) throws LinuxNetException {
        try {
            return use.of(socket());
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.EAGAIN || e.errno() == Errno.EIO || e.errno() == Errno.EBUSY) {
                closeSocket();
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
    public synchronized Optional<NftTableState> read(NftTable table) throws LinuxNetException {
        for (int attempt = 1; attempt <= READ_ATTEMPTS_MAX; attempt++) {
            int generation = generation();
            try {
                Optional<NftTableState> state = NftTableReader.read(table, this::exchange);
                if (generation() == generation) {
                    return state;
                }
            } catch (LinuxNetException e) {
                // A set may go before its elements are listed.
                if (e.errno() != Errno.ENOENT || generation() == generation) {
                    throw e;
                }
            }
        }
        throw new LinuxNetException(
                "read nf_tables table " + table,
                Errno.EAGAIN.number(),
                "changed during each of " + READ_ATTEMPTS_MAX + " readings");
    }

    @Override
    public Map<String, Long> countedPackets(NftTable table) throws LinuxNetException {
        return countedPackets(table, NftQueries.rules(table));
    }

    /** In proportion to the rules of the chain. */
    @Override
    public long countedPackets(NftChain chain) throws LinuxNetException {
        return countedPackets(chain.table(), NftQueries.rules(chain)).getOrDefault(chain.name(), 0L);
    }

    private Map<String, Long> countedPackets(NftTable table, NetlinkRequest rules) throws LinuxNetException {
        try {
            return NftCounterReader.byChain(table, exchange("list rules of table " + table, rules));
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT) {
                return Map.of();
            }
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        closeSocket();
        announcements.close();
        release.run();
    }

    private void closeSocket() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
