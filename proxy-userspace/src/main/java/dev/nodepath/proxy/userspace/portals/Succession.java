package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import java.io.IOException;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the process that has the portals of one family: it listens on the port to which the kernel leads clients. The
 * table decides the port. For an earlier version of Nodepath, or kube-proxy, rules of iptables decide it.
 */
public final class Succession {
    private static final Logger LOG = LoggerFactory.getLogger(Succession.class);

    private final Iptables iptables;
    private final NftTables nft;
    private final RelayMetrics metrics;
    private final IntPredicate ownTcp;
    private final IntPredicate ownUdp;
    private final OpenPorts openPorts = new OpenPorts();
    private boolean standsDown;

    /**
     * Reads nothing yet.
     *
     * @param ownTcp whether this process listens on a port
     * @param ownUdp the same for UDP
     */
    public Succession(
            Iptables iptables, NftTables nft, RelayMetrics metrics, IntPredicate ownTcp, IntPredicate ownUdp) {
        this.iptables = iptables;
        this.nft = nft;
        this.metrics = metrics;
        this.ownTcp = ownTcp;
        this.ownUdp = ownUdp;
    }

    private IpFamily family() {
        return iptables.family();
    }

    /** The ports that rules of iptables lead to. */
    RedirectedPorts byRules() throws IOException {
        return RedirectedPorts.of(iptables.save(Table.NAT), this::isOwn);
    }

    /** The ports that the table leads to. It comes before all rules of iptables. */
    RedirectedPorts byTable() throws IOException {
        return in(nft.read(PortalSets.table(family())));
    }

    /** The ports that a table leads to. */
    RedirectedPorts in(Optional<NftTableState> table) {
        return table.map(found -> PortalSets.ports(found, this::isOwn)).orElse(RedirectedPorts.NONE);
    }

    /** Whether another live process listens on one of these ports. */
    boolean isAlive(RedirectedPorts redirected) throws IOException {
        return openPorts.anyOf(redirected.others(), family());
    }

    /** Whether a live process has replaced all rules that led to this one. */
    boolean isReplaced(RedirectedPorts redirected) throws IOException {
        return redirected.own().isEmpty() && isAlive(redirected);
    }

    /** Whether this process waits for its successor's end. */
    boolean standsDown() {
        return standsDown;
    }

    /** Notes that a successor has the portals. */
    void standDown() {
        if (!standsDown) {
            standsDown = true;
            metrics.increment(RelayCount.PORTALS_TAKEN_OVER);
            LOG.atInfo().addKeyValue("family", family()).log("portal.taken_over");
        }
    }

    /** Notes that this process has the portals. */
    void serve() {
        standsDown = false;
    }

    private boolean isOwn(RedirectedPorts.Port port) {
        return (port.protocol() == Protocol.TCP ? ownTcp : ownUdp).test(port.number());
    }
}
