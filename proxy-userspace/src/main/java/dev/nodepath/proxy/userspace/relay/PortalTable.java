package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.balance.RelayService;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which service port a TCP connection belongs to, by the destination that its client meant. Event loops look into it while
 * the syncing thread changes it.
 */
public final class PortalTable {
    private final ConcurrentMap<Object, Entry> entries = new ConcurrentHashMap<>();

    /** A service port, and how the client came to it. */
    record Entry(RelayService service, ServiceEntry way) {}

    /** A port of the node; addresses have a {@link Destination}. */
    private record NodePort(IpFamily family, int port) {}

    /** From now on clients who mean the portal are its own, whoever had them before. */
    public void add(Portal portal, RelayService service) {
        entries.putAll(entries(portal, service));
    }

    /** Forgets what led to a portal and does not any more. */
    public void remove(Portal before, @Nullable Portal after, RelayService service) {
        Map<Object, Entry> still = after == null ? Map.of() : entries(after, service);
        entries(before, service).forEach((key, entry) -> {
            if (!entry.equals(still.get(key))) {
                entries.remove(key, entry);
            }
        });
    }

    /** Forgets all of a family that does not lead to these. */
    public void retain(IpFamily family, Collection<Portal> portals, Function<Portal, RelayService> services) {
        Map<Object, Entry> wanted = new HashMap<>();
        portals.forEach(portal -> wanted.putAll(entries(portal, services.apply(portal))));
        entries.entrySet()
                .removeIf(entry -> entry.getValue().service().key().family() == family
                        && !entry.getValue().equals(wanted.get(entry.getKey())));
    }

    private static Map<Object, Entry> entries(Portal portal, RelayService service) {
        Map<Object, Entry> entries = new HashMap<>();
        if (portal.protocol() != Protocol.TCP) {
            return entries;
        }
        for (ServiceEntry way : ServiceEntry.values()) {
            Entry entry = new Entry(service, way);
            portal.addresses(way)
                    .forEach(ip ->
                            entries.put(new Destination(ip, portal.service().port()), entry));
        }
        if (portal.nodePort() != 0) {
            entries.put(new NodePort(portal.family(), portal.nodePort()), new Entry(service, ServiceEntry.EXTERNAL));
        }
        return entries;
    }

    /** The owner of the address and port; if there is none, of the port as a NodePort: the order of the rules. */
    @Nullable
    Entry find(Destination destination) {
        Entry entry = entries.get(destination);
        return entry != null
                ? entry
                : entries.get(new NodePort(destination.address().family(), destination.port()));
    }
}
