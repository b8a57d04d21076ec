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
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.apply.WholeTable;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.route.LocalDelivery;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Keeps answers on this node that are for the relay and bear a client's address, and errors about what it has sent. A
 * table of its own marks them, and a routing rule delivers what is marked. Both live longer than the portals: connections
 * go on while a process drains. For one thread.
 */
public final class KeptAnswers {
    private static final String NAME = "nodepath-answers";

    /** Before the routing decision, as a mark decides it, and after translations ({@code NF_IP_PRI_NAT_DST}). */
    private static final int PRIORITY = -90;

    private static final int ICMP = 1;
    private static final int ICMPV6 = 58;

    /** kube-proxy and kubelet have the bits 0x4000 and 0x8000. */
    private static final LocalDelivery.Marked MARKED = new LocalDelivery.Marked(0x2000, 110, 110, 110);

    private final NftTables nft;
    private final IpFamily family;
    private final LiftedAnswers lifted;
    private boolean made;

    /** Those of a family. Nothing is kept before {@link #start}. */
    public KeptAnswers(NftTables nft, IpFamily family) {
        this.nft = nft;
        this.family = family;
        this.lifted = new LiftedAnswers(nft, family);
    }

    /**
     * Keeps them from now on, and repairs what is missing for that. The first call replaces what another process has made.
     *
     * @throws LinuxNetException also if the kernel cannot find the socket of a packet ({@code CONFIG_NFT_SOCKET})
     */
    public void start() throws LinuxNetException {
        WholeTable table = new WholeTable(nft, table());
        if (!made || !table.exists()) {
            table.make(content());
            made = true;
        }
        try (LocalDelivery delivery = new KernelLinuxNet().localDelivery()) {
            delivery.start(family, MARKED);
        }
    }

    /**
     * Keeps answers between the pods of this bridge as well, after {@link #start}; those of no bridge if it is empty.
     *
     * @throws LinuxNetException also if the kernel has no nf_tables of bridges
     */
    public void lift(Optional<PodBridge> bridge) throws LinuxNetException {
        if (bridge.isPresent()) {
            lifted.start(bridge.get(), MARKED.mark());
        } else {
            lifted.stop();
        }
    }

    /** Ends it, whichever process began it. It changes nothing if they are not kept. */
    public void stop() throws LinuxNetException {
        try {
            lifted.stop();
            boolean unused = new WholeTable(nft, table()).remove();
        } finally {
            try (LocalDelivery delivery = new KernelLinuxNet().localDelivery()) {
                delivery.stop(family, MARKED);
            }
        }
    }

    private NftTable table() {
        return new NftTable(NftFamily.of(family), NAME);
    }

    private NftTableState content() {
        NftChain.Hook where = NftChain.Hook.of("filter", "prerouting", PRIORITY);
        NftChain chain = new NftChain(table(), "prerouting", Optional.of(where));
        List<NftRule> rules = List.of(
                // A transparent listener of another program, which is bound to no address.
                NftRule.of(new NftStatement.WildcardSocket(), NftVerdict.RETURN),
                marked(Protocol.TCP.number()),
                marked(family == IpFamily.IPV4 ? ICMP : ICMPV6));
        return new NftTableState(
                table(),
                "answers to Nodepath's relay that bear a client's address",
                new TreeMap<>(Map.of(chain.name(), new NftTableState.Chain(chain, rules))),
                new TreeMap<>());
    }

    private static NftRule marked(int protocol) {
        return NftRule.of(
                new NftStatement.Protocol(protocol),
                new NftStatement.TransparentSocket(),
                new NftStatement.MarkSet(MARKED.mark()));
    }
}
