package dev.nodepath.agent.http;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health check node ports of local load balancer Services ({@code healthCheckNodePort}): a load balancer asks there
 * whether this node has endpoints of its own. Answers as kube-proxy 1.36. A port that cannot be bound is logged once
 * and retried after every sync. The answers are about endpoints, not rules, so they follow the snapshot even if a sync
 * fails; each also says whether the rules keep up.
 */
public final class ServiceHealthPorts implements SyncListener, AutoCloseable {
    /** The limit of listeners, one for each Service and address; each costs about 270 KB and three threads. */
    static final int LISTENERS_MAX = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ServiceHealthPorts.class);

    private final HttpPorts server;
    private final ProxyHealth health;
    private final String node;
    private final Addresses addresses;
    private final Map<NamespacedName, Port> ports = new HashMap<>();
    private final int listenersMax;
    private int listeners;
    private boolean first = true;
    private boolean closed;

    /** The addresses of the ports. */
    @FunctionalInterface
    public interface Addresses {
        /** The addresses that serve node ports; a wildcard address alone if all do. */
        List<IpAddress> of(ServiceSnapshot snapshot) throws IOException;
    }

    /** One Service's port. The count is read by the server's workers. */
    private static final class Port {
        private final int number;
        private final Map<IpAddress, Closeable> open = new HashMap<>();
        private volatile int localEndpoints;
        private boolean reported;

        Port(int number) {
            this.number = number;
        }
    }

    /** Opens nothing before the first sync. */
    public ServiceHealthPorts(HttpPorts server, ProxyHealth health, String node, Addresses addresses) {
        this(server, health, node, addresses, LISTENERS_MAX);
    }

    ServiceHealthPorts(HttpPorts server, ProxyHealth health, String node, Addresses addresses, int listenersMax) {
        this.server = server;
        this.health = health;
        this.node = node;
        this.addresses = addresses;
        this.listenersMax = listenersMax;
    }

    @Override
    public synchronized void ended(ServiceSnapshot snapshot, ChangeSet changed, Set<IpFamily> inForce) {
        if (closed) {
            return;
        }
        Set<NamespacedName> touched = new HashSet<>();
        (first ? snapshot.services().keySet() : changed.servicePorts()).forEach(name -> touched.add(name.service()));
        first = false;
        touched.forEach(service -> update(service, snapshot));
        if (!ports.isEmpty()) {
            open(snapshot);
        }
    }

    /** Closes every port. */
    @Override
    public synchronized void close() {
        closed = true;
        ports.values().forEach(this::close);
        ports.clear();
    }

    private void update(NamespacedName service, ServiceSnapshot snapshot) {
        int number = 0;
        Map<IpFamily, Set<IpAddress>> local = new EnumMap<>(IpFamily.class);
        for (ServicePort port : portsOf(service, snapshot).values()) {
            number = Math.max(number, port.healthCheckNodePort());
            for (Endpoint endpoint : snapshot.endpoints().getOrDefault(port.name(), List.of())) {
                if (endpoint.ready() && endpoint.isOn(node)) {
                    local.computeIfAbsent(endpoint.address().family(), family -> new HashSet<>())
                            .add(endpoint.address());
                }
            }
        }
        Port known = ports.get(service);
        if (known != null && known.number != number) {
            close(known);
            ports.remove(service);
            known = null;
        }
        if (known == null && number != 0) {
            known = new Port(number);
            ports.put(service, known);
        }
        if (known != null) {
            // A pod of two families is one endpoint.
            known.localEndpoints =
                    local.values().stream().mapToInt(Set::size).max().orElse(0);
        }
    }

    private static SortedMap<ServicePortName, ServicePort> portsOf(NamespacedName service, ServiceSnapshot snapshot) {
        SortedMap<ServicePortName, ServicePort> all = new TreeMap<>();
        SortedMap<ServicePortName, ServicePort> from =
                snapshot.services().tailMap(new ServicePortName(service, "", Protocol.TCP));
        for (Map.Entry<ServicePortName, ServicePort> port : from.entrySet()) {
            if (!port.getKey().service().equals(service)) {
                break;
            }
            all.put(port.getKey(), port.getValue());
        }
        return all;
    }

    private void open(ServiceSnapshot snapshot) {
        try {
            List<IpAddress> wanted = addresses.of(snapshot);
            ports.values().forEach(port -> keep(port, wanted));
            ports.forEach((service, port) -> open(service, port, wanted));
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("health.addresses_unknown");
        }
    }

    /** Opens missing listeners; a failed one is retried after the next sync. */
    private void open(NamespacedName service, Port port, List<IpAddress> wanted) {
        for (IpAddress address : wanted) {
            if (port.open.containsKey(address)) {
                continue;
            }
            if (listeners >= listenersMax) {
                report(service, port, listenersMax + " listeners are open (expected: fewer)");
                return;
            }
            try {
                port.open.put(
                        address,
                        server.listen(
                                new InetSocketAddress(address.toInetAddress(), port.number), handler(service, port)));
                listeners++;
            } catch (IOException e) {
                report(service, port, address + ": " + e.getMessage());
            }
        }
    }

    private static void report(NamespacedName service, Port port, String error) {
        if (!port.reported) {
            port.reported = true;
            LOG.atWarn()
                    .addKeyValue("service", service)
                    .addKeyValue("port", port.number)
                    .addKeyValue("error", error)
                    .log("health.port_not_bound");
        }
    }

    private PathHandler handler(NamespacedName service, Port port) {
        return path -> {
            int count = port.localEndpoints;
            boolean healthy = health.isHealthy();
            String body = "{\n\t\"service\": {\n\t\t\"namespace\": \"" + service.namespace() + "\",\n\t\t\"name\": \""
                    + service.name() + "\"\n\t},\n\t\"localEndpoints\": " + count + ",\n\t\"serviceProxyHealthy\": "
                    + healthy + "\n}";
            return HttpResponse.json(count > 0 && healthy ? 200 : 503, body)
                    .with("X-Load-Balancing-Endpoint-Weight", Integer.toString(count));
        };
    }

    private void close(Port port) {
        keep(port, Set.of());
    }

    /** Closes the other listeners. */
    private void keep(Port port, Collection<IpAddress> wanted) {
        listeners -= port.open.size();
        port.open.forEach((address, listener) -> {
            if (!wanted.contains(address)) {
                close(listener);
            }
        });
        port.open.keySet().retainAll(wanted);
        listeners += port.open.size();
    }

    private static void close(Closeable listener) {
        try {
            listener.close();
        } catch (IOException e) {
            // The port is free even if the close failed.
        }
    }
}
