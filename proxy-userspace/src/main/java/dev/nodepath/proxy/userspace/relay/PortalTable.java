package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
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
 * The service port of a TCP connection, by its original destination. Event loops read it while the syncing thread
 * changes it.
 */
public final class PortalTable {
    private final ConcurrentMap<Object, Entry> entries = new ConcurrentHashMap<>();

    /** A service port, and the kind of address that the client uses. */
    record Entry(RelayService service, ServiceEntry kind) {}

    /** A node port. Other addresses are a {@link Destination}. */
    private record NodePort(IpFamily family, int port) {}

    /** Adds the addresses of a portal. They replace the entries of earlier owners. */
    public void add(Portal portal, RelayService service) {
        entries.putAll(entries(portal, service));
    }

    /** Removes the addresses that a portal no longer has. */
    public void remove(Portal before, @Nullable Portal after, RelayService service) {
        Map<Object, Entry> still = after == null ? Map.of() : entries(after, service);
        entries(before, service).forEach((key, entry) -> {
            if (!entry.equals(still.get(key))) {
                entries.remove(key, entry);
            }
        });
    }

    /** Removes all entries of a family that belong to none of these portals. */
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
        for (ServiceEntry kind : ServiceEntry.values()) {
            Entry entry = new Entry(service, kind);
            portal.addresses(kind)
                    .forEach(ip ->
                            entries.put(new Destination(ip, portal.service().port()), entry));
        }
        if (portal.nodePort() != 0) {
            entries.put(new NodePort(portal.family(), portal.nodePort()), new Entry(service, ServiceEntry.EXTERNAL));
        }
        return entries;
    }

    /** The owner of the address and port, else the owner of the node port. The rules have the same order. */
    @Nullable
    Entry find(Destination destination) {
        Entry entry = entries.get(destination);
        return entry != null
                ? entry
                : entries.get(new NodePort(destination.address().family(), destination.port()));
    }
}
