package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.ServicePortName;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which service port a connection belongs to, by the destination that its client meant. Immutable. */
final class PortalTable {
    static final PortalTable EMPTY = new PortalTable(Map.of(), Map.of());

    private final Map<Destination, Entry> addresses;
    private final Map<Integer, Entry> nodePorts;

    /** A service port and who shares its connections out. */
    record Entry(ServicePortName name, RoundRobinBalancer balancer) {}

    private PortalTable(Map<Destination, Entry> addresses, Map<Integer, Entry> nodePorts) {
        this.addresses = addresses;
        this.nodePorts = nodePorts;
    }

    static PortalTable of(PortalPlan plan, Function<Portal.Key, RoundRobinBalancer> balancers) {
        Map<Destination, Entry> addresses = new HashMap<>();
        Map<Integer, Entry> nodePorts = new HashMap<>();
        for (Portal portal : plan.portals()) {
            Entry entry = new Entry(portal.name(), balancers.apply(portal.key()));
            portal.addresses().forEach(address -> addresses.put(address, entry));
            if (portal.nodePort() != 0) {
                nodePorts.put(portal.nodePort(), entry);
            }
        }
        return new PortalTable(addresses, nodePorts);
    }

    /** This table with the entries of another before its own. */
    PortalTable overlaidWith(PortalTable other) {
        Map<Destination, Entry> allAddresses = new HashMap<>(addresses);
        allAddresses.putAll(other.addresses);
        Map<Integer, Entry> allNodePorts = new HashMap<>(nodePorts);
        allNodePorts.putAll(other.nodePorts);
        return new PortalTable(allAddresses, allNodePorts);
    }

    /** The owner of the address and port; if there is none, of the port as a NodePort: the order of the rules. */
    @Nullable
    Entry find(Destination destination) {
        Entry entry = addresses.get(destination);
        return entry != null ? entry : nodePorts.get(destination.port());
    }
}
