package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.trace.LocalAddresses;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedFlow;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftTableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Walks the first packet of a connection through a table as the kernel would: each hook on its way, and there each base
 * chain in order of priority. If a rule decides at random, it follows every outcome.
 *
 * <p>It is the first packet of a new connection from a source that session affinity does not know. The tracer does not
 * know the rules of other programs. It goes on with the sender's address after a rule has masqueraded the packet.
 */
public final class TableTracer {
    private final TracedPacket packet;
    private final LocalAddresses local;
    private final ChainWalk chains;

    private TableTracer(NftTableState table, TracedPacket packet, LocalAddresses local) {
        this.packet = packet;
        this.local = local;
        this.chains = new ChainWalk(table, new RuleEvaluator(table, packet, local));
    }

    /**
     * The way of a packet through the table.
     *
     * @param table a table of the packet's family
     * @param host the addresses of this host. Loopback addresses are always included.
     * @throws IllegalArgumentException if a rule has a statement that the tracer does not know; it names chain and rule
     */
    public static Trace trace(NftTableState table, TracedPacket packet, Set<IpAddress> host) {
        return new TableTracer(table, packet, new LocalAddresses(host)).trace();
    }

    private Trace trace() {
        boolean fromHost = local.contains(packet.source());
        HookPass first = fromHost ? HookPass.OUTPUT : HookPass.prerouting(packet.inputInterface());
        List<Trace.Outcome> outcomes = new ArrayList<>();
        for (TracedFlow flow : chains.pass(first, List.of(TracedFlow.of(packet)))) {
            List<TracedFlow> flows = List.of(flow);
            for (HookPass next : onward(fromHost, local.contains(flow.address()))) {
                flows = chains.pass(next, flows);
            }
            flows.forEach(each -> outcomes.add(each.outcome()));
        }
        return new Trace(packet, chains.steps(), outcomes);
    }

    /** The hooks after the first one, where the destination has been decided. */
    private List<HookPass> onward(boolean fromHost, boolean toHost) {
        if (fromHost) {
            return toHost ? HookPass.LOOPBACK : List.of(HookPass.postrouting(""));
        }
        String link = packet.inputInterface();
        return toHost ? List.of(HookPass.input(link)) : List.of(HookPass.forward(link), HookPass.postrouting(link));
    }
}
