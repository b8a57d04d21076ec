package dev.nodepath.agent.health;

import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health check node ports of local load balancer Services ({@code healthCheckNodePort}): a load balancer asks there
 * whether this node has endpoints of its own. Answers as kube-proxy 1.36. A port that cannot be bound is named in the log
 * once and tried again after every sync. They tell of endpoints, not of rules, so they follow the snapshot also where a sync
 * fails; whether the rules keep up is in the answer.
 */
public final class ServiceHealthPorts implements SyncListener, AutoCloseable {
    /** More ports than that are not opened; each costs about 270 KB and three threads. */
    static final int PORTS_MAX = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ServiceHealthPorts.class);

    private final HttpPorts server;
    private final ProxyHealth health;
    private final String node;
    private final Addresses addresses;
    private final Map<NamespacedName, Port> ports = new HashMap<>();
    private boolean first = true;
    private boolean closed;

    /** Where the ports are bound. */
    @FunctionalInterface
    public interface Addresses {
        /** The addresses that serve node ports; one wildcard address if all do. */
        List<IpAddress> of(ServiceSnapshot snapshot) throws IOException;
    }

    /** One Service's port. The count is read by the server's workers. */
    private static final class Port {
        private final int number;
        private final List<Closeable> open = new ArrayList<>();
        private volatile int localEndpoints;
        private boolean reported;

        Port(int number) {
            this.number = number;
        }
    }

    /** Opens nothing before the first sync. */
    public ServiceHealthPorts(HttpPorts server, ProxyHealth health, String node, Addresses addresses) {
        this.server = server;
        this.health = health;
        this.node = node;
        this.addresses = addresses;
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
        ports.forEach((service, port) -> open(service, port, snapshot));
    }

    /** Closes every port. */
    @Override
    public synchronized void close() {
        closed = true;
        ports.values().forEach(ServiceHealthPorts::close);
        ports.clear();
    }

    private void update(NamespacedName service, ServiceSnapshot snapshot) {
        int number = 0;
        Set<IpAddress> local = new HashSet<>();
        for (ServicePort port : portsOf(service, snapshot).values()) {
            number = Math.max(number, port.healthCheckNodePort());
            for (Endpoint endpoint : snapshot.endpoints().getOrDefault(port.name(), List.of())) {
                if (endpoint.ready() && endpoint.isOn(node)) {
                    local.add(endpoint.address());
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
            known = create(service, number);
        }
        if (known != null) {
            known.localEndpoints = local.size();
        }
    }

    private @Nullable Port create(NamespacedName service, int number) {
        if (ports.size() >= PORTS_MAX) {
            LOG.atWarn()
                    .addKeyValue("service", service)
                    .addKeyValue("port", number)
                    .addKeyValue("ports_max", PORTS_MAX)
                    .log("health.too_many_ports");
            return null;
        }
        Port port = new Port(number);
        ports.put(service, port);
        return port;
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

    private void open(NamespacedName service, Port port, ServiceSnapshot snapshot) {
        if (!port.open.isEmpty()) {
            return;
        }
        try {
            for (IpAddress address : addresses.of(snapshot)) {
                port.open.add(server.listen(
                        new InetSocketAddress(address.toInetAddress(), port.number), handler(service, port)));
            }
        } catch (IOException e) {
            close(port);
            if (!port.reported) {
                port.reported = true;
                LOG.atWarn()
                        .addKeyValue("service", service)
                        .addKeyValue("port", port.number)
                        .addKeyValue("error", e.getMessage())
                        .log("health.port_not_bound");
            }
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

    private static void close(Port port) {
        for (Closeable listener : port.open) {
            try {
                listener.close();
            } catch (IOException e) {
                // The port is free all the same.
            }
        }
        port.open.clear();
    }
}
