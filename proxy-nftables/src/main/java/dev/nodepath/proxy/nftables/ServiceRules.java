package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceReach;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftData;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.TableGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The chains and elements of one service port. */
final class ServiceRules {
    private final NftablesContext context;
    private final ServiceReach reach;
    private final ServicePort service;
    private final IpFamily family;
    private final SelectedEndpoints endpoints;
    private final NftablesNames names;
    private final NftTable table;
    private final List<NftTableState.Chain> chains = new ArrayList<>();
    private final List<NftSet> sets = new ArrayList<>();
    private final List<TableGroup.Element> elements = new ArrayList<>();

    ServiceRules(NftablesContext context, ServiceReach reach) {
        this.context = context;
        this.reach = reach;
        this.service = reach.service();
        this.family = reach.family();
        this.endpoints = reach.endpoints();
        this.names = new NftablesNames(service.name());
        this.table = NftablesRules.table(family);
    }

    TableGroup group() {
        for (IpAddress ip : service.clusterIps(family)) {
            add(Frame.CLUSTER_IPS, NftElement.of(NftValue.of(ip)));
        }
        String cluster = sharesMaps() ? addShared() : names.cluster();
        if (!sharesMaps()) {
            addChoices();
        }
        if (reach.forwardsExternal()) {
            chain(names.external(), service.externalPolicyLocal() ? fromOutsideToLocal() : fromOutside());
        }
        if (reach.hasSourceRanges()) {
            chain(names.firewall(), firewall());
        }
        addInternal(service.internalPolicyLocal() ? names.local() : cluster);
        addExternal();
        addHairpins();
        return new TableGroup(chains, sets, elements);
    }

    /** Whether the endpoints are in the maps that plain service ports share in a large cluster. */
    private boolean sharesMaps() {
        return context.sharedMaps()
                && !counts()
                && !endpoints.cluster().isEmpty()
                && endpoints.local().isEmpty()
                && !hasAffinity()
                && !service.internalPolicyLocal()
                && !service.externallyAccessible(family);
    }

    private boolean counts() {
        return context.config().countsConnections();
    }

    private String addShared() {
        NftTableState.Chain chain = SharedMaps.chain(table, endpoints.cluster().size());
        chains.add(chain);
        elements.addAll(SharedMaps.elements(service, family, endpoints.cluster()));
        return chain.chain().name();
    }

    private void addChoices() {
        if (!endpoints.cluster().isEmpty()) {
            chain(names.cluster(), choice(endpoints.cluster()));
        }
        if (!endpoints.local().isEmpty()) {
            chain(names.local(), choice(endpoints.local()));
        }
        if (hasAffinity() || counts()) {
            endpoints.reachable().forEach(this::addEndpoint);
        }
    }

    private boolean hasAffinity() {
        return service.policy().affinitySeconds() != 0;
    }

    private List<NftRule> choice(List<Endpoint> choices) {
        if (hasAffinity() || counts()) {
            return endpointChains(choices);
        }
        boolean plain = choices.size() == 1
                && (context.sharedMaps() || context.config().singleEndpoint().isPlain(context.node()));
        return List.of(NftRule.of(
                protocol(),
                plain
                        ? new NftStatement.Dnat(destination(choices.get(0)))
                        : new NftStatement.RandomDnat(
                                choices.stream().map(ServiceRules::destination).toList())));
    }

    private List<NftRule> endpointChains(List<Endpoint> choices) {
        List<NftRule> rules = new ArrayList<>(choices.size() + 1);
        if (hasAffinity()) {
            for (Endpoint endpoint : choices) {
                rules.add(NftRule.of(
                        new NftStatement.InSet(List.of(NftField.SOURCE_ADDRESS), names.affinity(endpoint)),
                        NftVerdict.to(names.endpoint(endpoint))));
            }
        }
        rules.add(NftRule.of(new NftStatement.RandomVerdict(choices.stream()
                .map(endpoint -> NftVerdict.to(names.endpoint(endpoint)))
                .toList())));
        return rules;
    }

    private void addEndpoint(Endpoint endpoint) {
        List<NftRule> rules = new ArrayList<>();
        if (hasAffinity()) {
            sets.add(affinity(endpoint));
            rules.add(NftRule.of(new NftStatement.Remember(names.affinity(endpoint))));
        }
        NftStatement dnat = new NftStatement.Dnat(destination(endpoint));
        rules.add(counts() ? NftRule.of(protocol(), new NftStatement.Counter(), dnat) : NftRule.of(protocol(), dnat));
        chain(names.endpoint(endpoint), rules);
    }

    private NftSet affinity(Endpoint endpoint) {
        return new NftSet(
                table,
                names.affinity(endpoint),
                List.of(NftField.SOURCE_ADDRESS.type(family)),
                List.of(),
                Duration.ofSeconds(service.policy().affinitySeconds()),
                "");
    }

    private NftStatement protocol() {
        return new NftStatement.Protocol(service.protocol().number());
    }

    private static NftStatement.Destination destination(Endpoint endpoint) {
        return new NftStatement.Destination(endpoint.address(), endpoint.port());
    }

    /** An endpoint on another node would answer the client directly, so it must not see the client. */
    private List<NftRule> fromOutside() {
        return List.of(new NftRule(List.of(mark()), "masquerade"), NftRule.of(NftVerdict.to(names.cluster())));
    }

    /**
     * Endpoints on this node may see the client. Traffic of this node and its pods may go to all endpoints of the
     * cluster, like traffic that reaches any node from outside.
     */
    private List<NftRule> fromOutsideToLocal() {
        NftStatement toCluster = NftVerdict.to(names.cluster());
        NftStatement fromHost = new NftStatement.AddressLocal(NftField.SOURCE_ADDRESS);
        List<NftRule> rules = new ArrayList<>();
        context.fromPod(false)
                .ifPresent(fromPod -> rules.add(new NftRule(List.of(fromPod, toCluster), "short-circuit pod traffic")));
        rules.add(new NftRule(List.of(fromHost, mark()), "masquerade local traffic"));
        rules.add(new NftRule(List.of(fromHost, toCluster), "short-circuit local traffic"));
        if (reach.acceptsExternal()) {
            rules.add(NftRule.of(NftVerdict.to(names.local())));
        }
        return rules;
    }

    private NftStatement mark() {
        return new NftStatement.MarkSet(context.config().common().masqueradeMark());
    }

    /** If the balancer's address is on this host, the host's own packets to it have it as their source. */
    private List<NftRule> firewall() {
        List<Cidr> allowed = new ArrayList<>(service.sourceRanges(family));
        if (allowed.stream().anyMatch(range -> NodeInfo.isIn(range, context.node()))) {
            service.loadBalancerIps(family).forEach(ip -> allowed.add(Cidr.single(ip)));
        }
        return List.of(NftRule.of(new NftStatement.AddressIn(NftField.SOURCE_ADDRESS, allowed, true), NftVerdict.DROP));
    }

    private void addInternal(String chain) {
        for (IpAddress ip : service.clusterIps(family)) {
            NftValue key = key(ip);
            if (reach.acceptsInternal()) {
                add(Frame.SERVICE_IPS, NftElement.of(key, NftVerdict.to(chain)));
            } else {
                refuse(Frame.NO_ENDPOINT_SERVICES, key);
            }
        }
    }

    private void addExternal() {
        List<IpAddress> ips = new ArrayList<>(service.externalIps(family));
        ips.addAll(service.loadBalancerIps(family));
        NftData external = NftVerdict.to(names.external());
        for (IpAddress ip : ips) {
            if (reach.forwardsExternal()) {
                add(Frame.SERVICE_IPS, NftElement.of(key(ip), external));
            }
            if (!reach.acceptsExternal()) {
                refuse(Frame.NO_ENDPOINT_SERVICES, key(ip));
            }
        }
        if (reach.hasSourceRanges()) {
            NftData firewall = NftVerdict.to(names.firewall());
            service.loadBalancerIps(family).forEach(ip -> add(Frame.FIREWALL_IPS, NftElement.of(key(ip), firewall)));
        }
        if (service.nodePort() != 0) {
            NftValue key = NftValue.of(service.protocol().number(), service.nodePort());
            if (reach.forwardsExternal()) {
                add(Frame.SERVICE_NODE_PORTS, NftElement.of(key, external));
            }
            if (!reach.acceptsExternal()) {
                refuse(Frame.NO_ENDPOINT_NODE_PORTS, key);
            }
        }
    }

    /** Rejects if no node can serve it, drops if another node can. */
    private void refuse(String map, NftValue key) {
        NftVerdict verdict = endpoints.anywhere() ? NftVerdict.DROP : NftVerdict.to(Frame.REJECT_CHAIN);
        add(map, new NftElement(key, Optional.of(verdict), names.comment()));
    }

    /** A pod that connects to itself must not see its own address as source: the answer would not pass this node. */
    private void addHairpins() {
        for (Endpoint endpoint : endpoints.reachable()) {
            if (endpoint.isOn(context.config().common().nodeName())) {
                NftValue ip = NftValue.of(endpoint.address());
                NftValue key = ip.and(ip).and(NftValue.of(service.protocol().number(), endpoint.port()));
                add(Frame.HAIRPIN, NftElement.of(key));
            }
        }
    }

    private NftValue key(IpAddress ip) {
        return NftValue.of(ip, service.protocol().number(), service.port());
    }

    private void add(String set, NftElement element) {
        elements.add(new TableGroup.Element(set, element));
    }

    private void chain(String name, List<NftRule> rules) {
        chains.add(new NftTableState.Chain(new NftChain(table, name, Optional.empty()), rules));
    }
}
