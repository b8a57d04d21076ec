package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The portals of one family: the sockets that rules lead to, and the rules. For the syncing thread. */
final class FamilyPortals {
    private static final Logger LOG = LoggerFactory.getLogger(FamilyPortals.class);
    private final Iptables iptables;
    private final RuleApplier rules;
    private final RelayServer server;
    private final UdpPortals udp;
    private final Optional<IpAddress> bound;
    private final NodePortAddresses nodePorts;
    private final TrackedDatagrams tracked;
    private final OpenPorts openPorts = new OpenPorts();

    /** What this process has brought into force; null if that is unknown, or another has taken the portals over. */
    private @Nullable RuleSet inForce;

    private Map<Destination, Integer> ledDatagrams = Map.of();
    private boolean served;
    private boolean standsDown;
    private SortedMap<String, String> refusedBefore = new TreeMap<>();

    /**
     * Listens.
     *
     * @param address where, in this family
     * @throws IOException if that failed
     */
    FamilyPortals(
            Iptables iptables,
            RelayServer server,
            RelayConfig config,
            IpAddress address,
            Ports ports,
            TrackedDatagrams tracked)
            throws IOException {
        this.iptables = iptables;
        this.rules = applier(iptables);
        this.server = server;
        this.udp = new UdpPortals(server, address, ports);
        this.tracked = tracked;
        this.nodePorts = config.nodePorts();
        this.bound = config.bindsAny() ? Optional.empty() : Optional.of(address);
        server.listen(address, ports);
    }

    static RuleApplier applier(Iptables iptables) {
        return new RuleApplier(iptables, UserspaceProxy.CHAINS);
    }

    IpFamily family() {
        return iptables.family();
    }

    /**
     * Opens the sockets of UDP portals.
     *
     * @return why a service port has none, if so
     */
    Map<ServicePortName, String> openSockets(
            List<Portal> portals, Optional<IpAddress> node, Function<Portal, RelayService> services) {
        Map<ServicePortName, String> failures = new TreeMap<>();
        udp.open(portals, node, services)
                .forEach((portal, failure) -> failures.put(portal.name(), failure.getMessage()));
        return failures;
    }

    /**
     * Brings the rules into force. If nothing has changed it looks at what is in force, and mends what others have removed.
     *
     * <p>A process takes the portals over when it starts. If later it finds that they lead to another one that is alive, that
     * one is its successor: it writes no rule then, until the other is gone.
     *
     * @return whether something had to be mended
     * @throws IOException if that failed
     */
    boolean bringIntoForce(List<Portal> portals, Optional<IpAddress> node, boolean unchanged) throws IOException {
        RuleSet desired =
                PortalRules.of(portals, new ProxyAddress(bound, node), this::port, nodePorts.in(family(), node));
        if (!unchanged && desired.equals(inForce)) {
            return false;
        }
        Set<Integer> gone = Set.of();
        if (inForce == null || !rules.isUntouched()) {
            LedPorts led = ledPorts();
            if (served && led.own().isEmpty() && openPorts.anyOf(led.others(), family())) {
                standDown();
                return false;
            }
            gone = led.othersUdp();
        }
        boolean repaired = write(desired, unchanged);
        correctTracked(portals, gone);
        return repaired;
    }

    private boolean write(RuleSet desired, boolean unchanged) throws IptablesException {
        inForce = null;
        boolean repaired = false;
        if (unchanged || standsDown) {
            repaired = rules.repair(desired);
        } else {
            rules.apply(desired);
        }
        inForce = desired;
        served = true;
        standsDown = false;
        reportRefused();
        return repaired;
    }

    private void standDown() {
        inForce = null;
        if (!standsDown) {
            standsDown = true;
            server.metrics().portalsTakenOver.increment();
            LOG.atInfo().addKeyValue("family", family()).log("portal.taken_over");
        }
    }

    private void correctTracked(List<Portal> portals, Set<Integer> gone) {
        Map<Destination, Integer> led = udp.led(portals);
        if (!gone.isEmpty() || !led.equals(ledDatagrams)) {
            tracked.correct(family(), led, gone);
            ledDatagrams = led;
        }
    }

    private void reportRefused() {
        SortedMap<String, String> refused = rules.refused();
        refused.forEach((portal, reason) -> {
            if (!refusedBefore.containsKey(portal)) {
                LOG.atError()
                        .addKeyValue("service_port", portal)
                        .addKeyValue("error", reason)
                        .log("rules.service_refused");
            }
        });
        refusedBefore = refused;
    }

    /** Closes the sockets that no rule leads to any more. */
    void closeOthers(List<Portal> portals) {
        tracked.correct(family(), Map.of(), udp.retain(portals));
    }

    private int port(Portal portal, Way way) {
        return portal.protocol() == Protocol.TCP ? server.port(family()) : udp.port(portal, way);
    }

    /**
     * Removes the rules, unless another process that is alive has taken the portals over and its rules are there instead.
     *
     * @return whether another process has
     * @throws IOException if that failed
     */
    boolean removeRules() throws IOException {
        if (openPorts.anyOf(ledPorts().others(), family())) {
            return true;
        }
        rules.remove();
        return false;
    }

    private LedPorts ledPorts() throws IptablesException {
        return LedPorts.of(
                iptables.save(Table.NAT),
                port -> port.protocol() == Protocol.TCP
                        ? port.number() == server.port(family())
                        : udp.has(port.number()));
    }

    void closeSockets() {
        tracked.correct(family(), Map.of(), udp.close());
    }
}
