package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.PortalChange;
import dev.nodepath.proxy.userspace.portals.PortalLayout;
import dev.nodepath.proxy.userspace.portals.PortalPlan;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import dev.nodepath.proxy.userspace.portals.Succession;
import dev.nodepath.proxy.userspace.portals.TablePortals;
import dev.nodepath.proxy.userspace.relay.Ports;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayServer;
import dev.nodepath.proxy.userspace.relay.RelayService;
import dev.nodepath.proxy.userspace.relay.RelayServices;
import dev.nodepath.proxy.userspace.relay.UdpPortals;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The portals of one family: the relay's tables, its sockets and the rules that redirect to them. The cost of a partial
 * sync is proportional to the change. A full sync visits all portals. It runs at the start, after a failure, when this
 * Node has changed, and to repair rules that other programs have removed. Called by the syncing thread.
 */
final class FamilyPortals {
    private static final Logger LOG = LoggerFactory.getLogger(FamilyPortals.class);

    private final IpFamily family;
    private final String nodeName;
    private final RelayConfig config;
    private final RelayServer server;
    private final RelayServices services;
    private final TablePortals rules;
    private final UdpPortals udp;
    private final int tcpPort;
    private final TrackedFlows tracked;
    private final @Nullable RemovedEndpoints removedEndpoints;
    private final Host host;

    /** Null unless endpoints are to see clients' addresses. */
    private final @Nullable ClientAddresses clients;

    /** Null if endpoints are to see clients' addresses. */
    private final @Nullable LeftSources left;

    private Set<IpAddress> hostAddresses = Set.of();
    private final Optional<IpAddress> bound;

    private PortalPlan plan;

    /** The snapshot in force; null before the first sync and after a failure. */
    private @Nullable ServiceSnapshot inForce;

    private Map<Destination, Integer> redirectedDatagrams = new HashMap<>();

    /** UDP portals that have no socket, with the error. */
    private final SortedMap<ServicePortName, String> withoutPort = new TreeMap<>();

    /**
     * Opens the listening sockets.
     *
     * @param address the address to listen on, in this family
     * @param removedEndpoints gets the endpoints that are gone; null if connections to them may go on
     * @throws IOException if that failed, or if the kernel does not take the table of portals
     */
    FamilyPortals(
            Iptables iptables,
            String nodeName,
            RelayConfig config,
            RelayServer server,
            RelayServices services,
            IpAddress address,
            Ports ports,
            TrackedFlows tracked,
            @Nullable RemovedEndpoints removedEndpoints,
            Host host,
            NftTables nft,
            Conntrack conntrack)
            throws IOException {
        this.family = iptables.family();
        TablePortals.require(nft, family);
        this.nodeName = nodeName;
        this.config = config;
        this.server = server;
        this.services = services;
        this.udp = new UdpPortals(server, address, ports);
        Succession succession =
                new Succession(iptables, nft, server.metrics(), port -> port == server.port(family), udp::has);
        this.rules = new TablePortals(iptables, nft, succession);
        this.clients = config.keepsClientAddress() ? new ClientAddresses(family, nodeName, host, nft, conntrack) : null;
        this.left = clients == null ? new LeftSources(family, nft) : null;
        this.tracked = tracked;
        this.removedEndpoints = removedEndpoints;
        this.host = host;
        this.bound = config.bindsAny() ? Optional.empty() : Optional.of(address);
        this.plan = new PortalPlan(nodeName, family);
        server.listen(address, ports);
        this.tcpPort = server.port(family);
    }

    IpFamily family() {
        return family;
    }

    /** The number of full syncs, see {@link dev.nodepath.endpoints.ServiceProxy#fullSyncs}. */
    long fullSyncs() {
        return rules.fullLooks();
    }

    /** The service ports that are not served, or only in part, with the reason. */
    SortedMap<ServicePortName, String> unserved() {
        SortedMap<ServicePortName, String> all = new TreeMap<>(plan.unserved());
        all.putAll(withoutPort);
        return Collections.unmodifiableSortedMap(all);
    }

    /**
     * Applies a snapshot. The order is: endpoints, then the relay's tables, then the rules. The relay forgets a portal
     * only after its rules are removed.
     *
     * @throws IOException if that failed; the next call makes a full sync
     */
    void sync(ServiceSnapshot desired, ChangeSet changed) throws IOException {
        boolean partial = canFollow(desired, changed);
        inForce = null;
        if (!partial || !syncChanges(desired, changed)) {
            syncAll(desired, changed.isEmpty());
        }
        inForce = desired;
    }

    private boolean canFollow(ServiceSnapshot desired, ChangeSet changed) {
        ServiceSnapshot before = inForce;
        return before != null
                && (clients == null || clients.areAsBefore(desired))
                && !changed.isEmpty()
                && withoutPort.isEmpty()
                && Objects.equals(before.nodes().get(nodeName), desired.nodes().get(nodeName));
    }

    /** Applies only the changes. Returns false if a full sync is necessary. */
    private boolean syncChanges(ServiceSnapshot desired, ChangeSet changed) throws IOException {
        List<PortalChange> changes = plan.update(desired, changed.servicePorts());
        List<Portal> changedPortals = new ArrayList<>();
        for (PortalChange change : changes) {
            if (change.after() != null) {
                changedPortals.add(change.after());
            }
        }
        open(changedPortals, desired);
        if (!withoutPort.isEmpty() || !rules.update(layout(desired), changes)) {
            return false;
        }
        List<IpAddress> nodePortHosts = nodePortHosts(desired);
        correctTracked(
                redirectedElsewhere(changes, udp.redirected(changedPortals, nodePortHosts), nodePortHosts), Set.of());
        Set<Integer> closed = new HashSet<>();
        for (PortalChange change : changes) {
            closed.addAll(udp.close(change));
            if (change.before() != null) {
                server.portals().remove(change.before(), change.after(), services.of(change.key()));
            }
        }
        // At once, because each correction lists all tracked flows.
        correctTracked(Map.of(), closed);
        lookForRemoved(changed.servicePorts(), desired);
        changes.stream().filter(change -> change.after() == null).forEach(gone -> services.remove(gone.key()));
        return true;
    }

    private void syncAll(ServiceSnapshot desired, boolean repairs) throws IOException {
        plan = PortalPlan.of(desired, nodeName, family);
        List<Portal> portals = plan.portals();
        keepAddresses(desired);
        open(portals, desired);
        Set<Integer> gone = rules.bringIntoForce(layout(desired), portals, repairs);
        // Again, because an ending process knows its successor only from now on.
        keepAddresses(desired);
        if (gone != null) {
            Map<Destination, Integer> redirected = udp.redirected(portals, nodePortHosts(desired));
            if (!gone.isEmpty() || !redirected.equals(redirectedDatagrams)) {
                correctTracked(redirected, gone);
                redirectedDatagrams = redirected;
            }
        }
        correctTracked(Map.of(), udp.retain(portals));
        server.portals().retain(family, portals, portal -> services.of(portal.key()));
        lookForRemoved(services.names(family), desired);
        services.retain(family, portals);
        if (left != null) {
            left.remove();
        }
    }

    private void keepAddresses(ServiceSnapshot desired) {
        if (clients != null) {
            clients.keep(desired);
        }
    }

    private PortalLayout layout(ServiceSnapshot desired) {
        Optional<IpAddress> node = nodeAddress(desired);
        return new PortalLayout(bound, node, this::port, config.nodePorts().in(family, node));
    }

    private Optional<IpAddress> nodeAddress(ServiceSnapshot snapshot) {
        return Optional.ofNullable(snapshot.nodes().get(nodeName))
                .map(NodeInfo::addresses)
                .flatMap(addresses -> addresses.stream()
                        .filter(address -> address.family() == family)
                        .findFirst());
    }

    private int port(Portal portal, ServiceEntry entry) {
        return portal.protocol() == Protocol.TCP ? server.port(family) : udp.port(portal, entry);
    }

    private void open(Collection<Portal> portals, ServiceSnapshot desired) {
        if (config.keepsClientAddress() || portals.stream().anyMatch(FamilyPortals::dependsOnHostAddresses)) {
            listHostAddresses();
        }
        NodeInfo node = desired.nodes().get(nodeName);
        InternalClients inside = InternalClients.of(node, hostAddresses, podNetworks(desired));
        KeptClients kept = clients == null ? KeptClients.NONE : clients.clients(desired, inside);
        for (Portal portal : portals) {
            RelayService service = services.of(portal.key());
            service.update(portal, inside, kept);
            server.portals().add(portal, service);
        }
        withoutPort.clear();
        udp.open(portals, portal -> services.of(portal.key()))
                .forEach((portal, failure) -> withoutPort.put(portal.name(), failure.getMessage()));
    }

    private List<Cidr> podNetworks(ServiceSnapshot desired) {
        List<Cidr> networks = new ArrayList<>(config.clusterCidrs());
        if (config.podsOfNodes()) {
            desired.nodes().values().forEach(node -> networks.addAll(node.podCidrs()));
        }
        return networks;
    }

    private static boolean dependsOnHostAddresses(Portal portal) {
        return portal.service().externalPolicyLocal() || (portal.protocol() == Protocol.UDP && portal.nodePort() != 0);
    }

    /** The addresses of this host that serve node ports. */
    private List<IpAddress> nodePortHosts(ServiceSnapshot desired) {
        return config.nodePorts().among(hostAddresses, family, desired.nodes().get(nodeName));
    }

    /** Keeps the known addresses if the kernel does not list them. */
    private void listHostAddresses() {
        try (NetworkNamespace namespace = host.open()) {
            hostAddresses = Set.copyOf(namespace.hostAddresses());
        } catch (LinuxNetException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .log("portal.addresses_unknown");
        }
    }

    /** The destinations whose datagrams go to another port than before. It also stores the new ports. */
    private Map<Destination, Integer> redirectedElsewhere(
            List<PortalChange> changes, Map<Destination, Integer> now, List<IpAddress> nodePortHosts) {
        for (PortalChange change : changes) {
            if (change.before() != null) {
                UdpPortals.destinations(change.before(), nodePortHosts).stream()
                        .filter(destination -> !now.containsKey(destination))
                        .forEach(redirectedDatagrams::remove);
            }
        }
        Map<Destination, Integer> elsewhere = new HashMap<>(now);
        elsewhere.entrySet().removeAll(redirectedDatagrams.entrySet());
        redirectedDatagrams.putAll(elsewhere);
        return elsewhere;
    }

    private void correctTracked(Map<Destination, Integer> redirected, Set<Integer> gone) {
        tracked.correct(family, redirected, gone);
    }

    private void lookForRemoved(Collection<ServicePortName> names, ServiceSnapshot desired) {
        RemovedEndpoints departed = removedEndpoints;
        if (departed == null) {
            return;
        }
        for (ServicePortName name : names) {
            RelayService service = services.find(new Portal.Key(name, family));
            if (service != null) {
                Set<InetSocketAddress> existing = new HashSet<>();
                desired.endpoints(name, family)
                        .forEach(endpoint -> existing.add(
                                new InetSocketAddress(endpoint.address().toInetAddress(), endpoint.port())));
                departed.look(service, existing);
            }
        }
    }

    /** Whether the rules now redirect to another process, see {@link TablePortals#areTakenOver}. */
    boolean isTakenOver() throws IOException {
        return rules.areTakenOver();
    }

    /** Removes the rules, see {@link TablePortals#remove}. */
    boolean removeRules() throws IOException {
        return rules.remove();
    }

    /**
     * Stops the translation of answers to clients' addresses, after the last connection. A successor may need the
     * table.
     */
    void endAddresses() throws IOException {
        if (clients != null && !rules.areTakenOver()) {
            clients.end();
        }
    }

    /** Lets clients with reset connections connect again from the same ports. */
    void forgetReset() {
        tracked.forgetReset(family, tcpPort);
    }

    void closeSockets() {
        correctTracked(Map.of(), udp.close());
    }
}
