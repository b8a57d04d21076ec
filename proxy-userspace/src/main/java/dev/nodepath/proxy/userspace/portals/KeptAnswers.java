package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.apply.WholeTable;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.route.LocalDelivery;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps answers on this node that are for the relay and bear a client's address. A table of its own marks them, and a
 * routing rule delivers what is marked. Both touch nothing but packets for transparent sockets. They live longer than the
 * portals: connections go on while a process drains.
 */
public record KeptAnswers(NftTables nft, IpFamily family) {
    private static final String NAME = "nodepath-answers";

    /** Before the routing decision, as a mark decides it ({@code NF_IP_PRI_MANGLE}). */
    private static final int PRIORITY = -150;

    /** kube-proxy and kubelet have the bits 0x4000 and 0x8000. */
    private static final LocalDelivery.Marked MARKED = new LocalDelivery.Marked(0x2000, 110, 110, 110);

    /**
     * Keeps them from now on. It changes nothing if they are kept already, by whatever process.
     *
     * @throws LinuxNetException also if the kernel cannot find the socket of a packet ({@code CONFIG_NFT_SOCKET})
     */
    public void start() throws LinuxNetException {
        WholeTable table = new WholeTable(nft, table());
        if (!table.exists()) {
            table.make(content());
        }
        try (LocalDelivery delivery = new KernelLinuxNet().localDelivery()) {
            delivery.start(family, MARKED);
        }
    }

    /** Ends it, whichever process began it. It changes nothing if they are not kept. */
    public void stop() throws LinuxNetException {
        boolean unused = new WholeTable(nft, table()).remove();
        try (LocalDelivery delivery = new KernelLinuxNet().localDelivery()) {
            delivery.stop(family, MARKED);
        }
    }

    private NftTable table() {
        return new NftTable(NftFamily.of(family), NAME);
    }

    private NftTableState content() {
        NftChain chain =
                new NftChain(table(), "prerouting", Optional.of(NftChain.Hook.of("filter", "prerouting", PRIORITY)));
        List<NftStatement> statements = List.of(
                new NftStatement.Protocol(Protocol.TCP.number()),
                new NftStatement.TransparentSocket(),
                new NftStatement.MarkSet(MARKED.mark()));
        NftRule rule = new NftRule(statements, "");
        return new NftTableState(
                table(),
                "answers to Nodepath's relay that bear a client's address",
                new TreeMap<>(Map.of(chain.name(), new NftTableState.Chain(chain, List.of(rule)))),
                new TreeMap<>());
    }
}
