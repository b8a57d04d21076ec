package dev.nodepath.proxy.userspace;

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
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The portals of one family: the sockets that rules lead to, and the rules. For the syncing thread. */
final class FamilyPortals {
    private static final Logger LOG = LoggerFactory.getLogger(FamilyPortals.class);
    private static final Pattern LEADING_RULE = Pattern.compile(
            "^-A KUBE-(?:PORTALS|NODEPORT)-.*(?:--to-ports |--to-destination \\S+:)(\\d+)", Pattern.MULTILINE);

    private final Iptables iptables;
    private final RuleApplier rules;
    private final RelayServer server;
    private final UdpPortals udp;
    private final Optional<IpAddress> bound;
    private SortedMap<String, String> refusedBefore = new TreeMap<>();

    /**
     * Listens.
     *
     * @throws IOException if that failed
     */
    FamilyPortals(Iptables iptables, RelayServer server, IpAddress address, boolean any, Ports ports)
            throws IOException {
        this.iptables = iptables;
        this.rules = applier(iptables);
        this.server = server;
        this.udp = new UdpPortals(server, address, ports);
        this.bound = any ? Optional.empty() : Optional.of(address);
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
     * @return whether something had to be mended
     * @throws IptablesException if that failed
     */
    boolean bringIntoForce(List<Portal> portals, Optional<IpAddress> node, boolean unchanged) throws IptablesException {
        RuleSet desired = PortalRules.of(portals, new ProxyAddress(bound, node), this::port);
        boolean repaired = false;
        if (unchanged) {
            repaired = rules.repair(desired);
        } else {
            rules.apply(desired);
        }
        reportRefused();
        return repaired;
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
        udp.retain(portals);
    }

    private int port(Portal portal, Way way) {
        return portal.protocol() == Protocol.TCP ? server.port(family()) : udp.port(portal, way);
    }

    /**
     * Removes the rules, unless another process has taken the portals over and its rules are there instead.
     *
     * @return whether another process has
     * @throws IptablesException if that failed
     */
    boolean removeRules() throws IptablesException {
        List<Integer> led = ledPorts(iptables.save(Table.NAT));
        if (!led.isEmpty() && led.stream().noneMatch(port -> port == server.port(family()) || udp.has(port))) {
            return true;
        }
        rules.remove();
        return false;
    }

    /** The ports that the portal rules in a listing lead to. */
    private static List<Integer> ledPorts(String nat) {
        return LEADING_RULE
                .matcher(nat)
                .results()
                .map(rule -> Integer.parseInt(rule.group(1)))
                .toList();
    }

    void closeSockets() {
        udp.close();
    }
}
