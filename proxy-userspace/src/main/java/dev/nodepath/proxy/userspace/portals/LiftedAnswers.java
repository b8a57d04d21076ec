package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.apply.WholeTable;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Lifts answers between two pods of this node off the bridge, if {@link KeptAnswers} has marked them: a table of the
 * bridge makes them frames for the node. It has no state. Without a socket of the relay nothing is marked, so it changes
 * no other frame, also when the process is dead. For one thread.
 */
final class LiftedAnswers {
    /** After br_netfilter, which passes frames through PREROUTING of IP and so marks them ({@code NF_BR_PRI_BRNF}). */
    private static final int PRIORITY = 10;

    private final NftTables nft;
    private final NftTable table;
    private Optional<PodBridge> made = Optional.empty();

    /** Those of an IP family. Nothing is lifted before {@link #start}. */
    LiftedAnswers(NftTables nft, IpFamily family) {
        this.nft = nft;
        this.table = new NftTable(NftFamily.BRIDGE, "nodepath-answers-" + NftFamily.of(family));
    }

    /** Lifts answers to the pods of this bridge from now on, and to no others. */
    void start(PodBridge bridge, int mark) throws LinuxNetException {
        WholeTable whole = new WholeTable(nft, table);
        if (!made.equals(Optional.of(bridge)) || !whole.exists()) {
            whole.make(content(bridge, mark));
            made = Optional.of(bridge);
        }
    }

    /** Ends it, whichever process began it. */
    void stop() throws LinuxNetException {
        made = Optional.empty();
        boolean unused = new WholeTable(nft, table).remove();
    }

    private NftTableState content(PodBridge bridge, int mark) {
        NftChain.Hook where = NftChain.Hook.of("filter", "prerouting", PRIORITY);
        NftChain chain = new NftChain(table, "prerouting", Optional.of(where));
        NftRule lifted = NftRule.of(
                new NftStatement.AddressIn(NftField.DESTINATION_ADDRESS, List.of(bridge.network()), false),
                new NftStatement.MarkHas(mark),
                new NftStatement.ForOthers(),
                new NftStatement.EtherDestinationSet(bridge.mac()),
                new NftStatement.ForHostSet());
        return new NftTableState(
                table,
                "answers to Nodepath's relay between two pods",
                new TreeMap<>(Map.of(chain.name(), new NftTableState.Chain(chain, List.of(lifted)))),
                new TreeMap<>());
    }
}
