package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which service port a TCP connection belongs to, by the destination that its client meant. Immutable. */
final class PortalTable {
    static final PortalTable EMPTY = new PortalTable(Map.of(), Map.of());

    private final Map<Destination, Entry> addresses;
    private final Map<NodePort, Entry> nodePorts;

    /** A service port, and how the client came to it. */
    record Entry(RelayService service, Way way) {}

    private record NodePort(IpFamily family, int port) {}

    private PortalTable(Map<Destination, Entry> addresses, Map<NodePort, Entry> nodePorts) {
        this.addresses = addresses;
        this.nodePorts = nodePorts;
    }

    static PortalTable of(List<Portal> portals, Function<Portal, RelayService> services) {
        Map<Destination, Entry> addresses = new HashMap<>();
        Map<NodePort, Entry> nodePorts = new HashMap<>();
        for (Portal portal : portals) {
            if (portal.protocol() != Protocol.TCP) {
                continue;
            }
            RelayService service = services.apply(portal);
            for (Way way : Way.values()) {
                Entry entry = new Entry(service, way);
                for (IpAddress address : portal.addresses(way)) {
                    addresses.put(new Destination(address, portal.service().port()), entry);
                }
            }
            if (portal.nodePort() != 0) {
                nodePorts.put(new NodePort(portal.family(), portal.nodePort()), new Entry(service, Way.EXTERNAL));
            }
        }
        return new PortalTable(addresses, nodePorts);
    }

    /** This table with the entries of another before its own. */
    PortalTable overlaidWith(PortalTable other) {
        Map<Destination, Entry> allAddresses = new HashMap<>(addresses);
        allAddresses.putAll(other.addresses);
        Map<NodePort, Entry> allNodePorts = new HashMap<>(nodePorts);
        allNodePorts.putAll(other.nodePorts);
        return new PortalTable(allAddresses, allNodePorts);
    }

    /** The owner of the address and port; if there is none, of the port as a NodePort: the order of the rules. */
    @Nullable
    Entry find(Destination destination) {
        Entry entry = addresses.get(destination);
        return entry != null
                ? entry
                : nodePorts.get(new NodePort(destination.address().family(), destination.port()));
    }
}
