package dev.nodepath.proxy.nftables;

import static dev.nodepath.linux.nftables.NftField.DESTINATION_ADDRESS;
import static dev.nodepath.linux.nftables.NftField.DESTINATION_PORT;
import static dev.nodepath.linux.nftables.NftField.PROTOCOL;
import static dev.nodepath.linux.nftables.NftField.SOURCE_ADDRESS;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The permanent chains, rules and sets, whatever the Services. */
final class Frame {
    static final String REJECT_CHAIN = "reject-chain";
    static final String CLUSTER_IPS = "cluster-ips";
    static final String NODE_PORT_IPS = "nodeport-ips";
    static final String HAIRPIN = "hairpin-connections";
    static final String SERVICE_IPS = "service-ips";
    static final String SERVICE_NODE_PORTS = "service-nodeports";
    static final String NO_ENDPOINT_SERVICES = "no-endpoint-services";
    static final String NO_ENDPOINT_NODE_PORTS = "no-endpoint-nodeports";
    static final String FIREWALL_IPS = "firewall-ips";

    private static final String SERVICES = "services";
    private static final String MASQUERADING = "masquerading";
    private static final String FIREWALL_CHECK = "firewall-check";
    private static final String SERVICE_ENDPOINTS_CHECK = "service-endpoints-check";
    private static final String NODE_PORT_ENDPOINTS_CHECK = "nodeport-endpoints-check";
    private static final String CLUSTER_IPS_CHECK = "cluster-ips-check";

    /** Translation of destinations ({@code NF_IP_PRI_NAT_DST}). */
    private static final int PRIORITY_NAT = -100;

    /** Before that, where packets still have the address of the Service. */
    private static final int PRIORITY_BEFORE_NAT = PRIORITY_NAT - 10;

    private static final int PRIORITY_SOURCE_NAT = 100;
    private static final List<NftField> FRONTEND = List.of(DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);
    private static final List<NftField> NODE_PORT = List.of(PROTOCOL, DESTINATION_PORT);
    private static final Cidr LOOPBACK_IPV4 = Cidr.parse("127.0.0.0/8");

    private final NftablesContext context;
    private final NftTable table;
    private final SortedMap<String, NftTableState.Chain> chains = new TreeMap<>();
    private final SortedMap<String, NftTableState.Elements> sets = new TreeMap<>();

    Frame(NftablesContext context) {
        this.context = context;
        this.table = NftablesRules.table(context.family());
    }

    NftTableState table() {
        addBaseChains();
        add(SERVICES, services());
        add(MASQUERADING, masquerading());
        add(FIREWALL_CHECK, List.of(NftRule.of(new NftStatement.VerdictOf(FRONTEND, FIREWALL_IPS))));
        add(SERVICE_ENDPOINTS_CHECK, List.of(NftRule.of(new NftStatement.VerdictOf(FRONTEND, NO_ENDPOINT_SERVICES))));
        add(NODE_PORT_ENDPOINTS_CHECK, List.of(toNodePort(false, NO_ENDPOINT_NODE_PORTS)));
        add(CLUSTER_IPS_CHECK, clusterIpsCheck());
        NftChain reject = new NftChain(
                table,
                REJECT_CHAIN,
                Optional.empty(),
                "helper for @" + NO_ENDPOINT_SERVICES + " / @" + NO_ENDPOINT_NODE_PORTS);
        chains.put(REJECT_CHAIN, new NftTableState.Chain(reject, List.of(NftRule.of(new NftStatement.Reject()))));
        addSets();
        return new NftTableState(table, "rules for kube-proxy", chains, sets);
    }

    private void addBaseChains() {
        NftStatement first = new NftStatement.NewConnection();
        NftRule firewall = NftRule.of(first, NftVerdict.jump(FIREWALL_CHECK));
        NftRule services = NftRule.of(first, NftVerdict.jump(SERVICE_ENDPOINTS_CHECK));
        NftRule nodePorts = NftRule.of(first, NftVerdict.jump(NODE_PORT_ENDPOINTS_CHECK));
        NftRule clusterIps = NftRule.of(first, NftVerdict.jump(CLUSTER_IPS_CHECK));
        base("filter-prerouting-pre-dnat", "filter", "prerouting", PRIORITY_BEFORE_NAT, firewall);
        base("filter-output-pre-dnat", "filter", "output", PRIORITY_BEFORE_NAT, firewall);
        base("filter-input", "filter", "input", 0, nodePorts, services);
        base("filter-forward", "filter", "forward", 0, services, clusterIps);
        base("filter-output", "filter", "output", 0, services, clusterIps);
        base("nat-prerouting", "nat", "prerouting", PRIORITY_NAT, NftRule.of(NftVerdict.jump(SERVICES)));
        base("nat-output", "nat", "output", PRIORITY_NAT, NftRule.of(NftVerdict.jump(SERVICES)));
        base("nat-postrouting", "nat", "postrouting", PRIORITY_SOURCE_NAT, NftRule.of(NftVerdict.jump(MASQUERADING)));
    }

    private void base(String name, String type, String hook, int priority, NftRule... rules) {
        NftChain chain = new NftChain(table, name, Optional.of(NftChain.Hook.of(type, hook, priority)));
        chains.put(name, new NftTableState.Chain(chain, List.of(rules)));
    }

    private void add(String name, List<NftRule> rules) {
        chains.put(name, new NftTableState.Chain(new NftChain(table, name, Optional.empty()), rules));
    }

    private List<NftRule> services() {
        List<NftRule> rules = new ArrayList<>();
        masqueradeClusterIps().ifPresent(rules::add);
        rules.add(NftRule.of(new NftStatement.VerdictOf(FRONTEND, SERVICE_IPS)));
        rules.add(toNodePort(true, SERVICE_NODE_PORTS));
        return rules;
    }

    /** Answers to a client that is no pod must pass this node. */
    private Optional<NftRule> masqueradeClusterIps() {
        NftStatement toClusterIp = new NftStatement.InSet(List.of(DESTINATION_ADDRESS), CLUSTER_IPS);
        NftStatement mark = new NftStatement.MarkSet(context.config().common().masqueradeMark());
        if (context.config().common().masqueradeAll()) {
            return Optional.of(new NftRule(List.of(toClusterIp, mark), "masquerade all clusterIP traffic"));
        }
        return context.fromPod(true)
                .map(notFromPod -> new NftRule(
                        List.of(toClusterIp, notFromPod, mark), "masquerade clusterIP traffic from outside cluster"));
    }

    /** After the translation of destinations nothing but a node's own address can have a node port. */
    private NftRule toNodePort(boolean beforeNat, String map) {
        NftStatement verdict = new NftStatement.VerdictOf(NODE_PORT, map);
        if (!context.nodePortsEverywhere()) {
            return NftRule.of(new NftStatement.InSet(List.of(DESTINATION_ADDRESS), NODE_PORT_IPS), verdict);
        }
        NftStatement notLoopback = new NftStatement.AddressIn(
                DESTINATION_ADDRESS,
                List.of(context.family() == IpFamily.IPV4 ? LOOPBACK_IPV4 : Cidr.single(IpAddress.parse("::1"))),
                true);
        return beforeNat
                ? NftRule.of(new NftStatement.AddressLocal(DESTINATION_ADDRESS), notLoopback, verdict)
                : NftRule.of(notLoopback, verdict);
    }

    private List<NftRule> masquerading() {
        int mark = context.config().common().masqueradeMark();
        return List.of(
                NftRule.of(
                        new NftStatement.MarkHas(mark),
                        new NftStatement.MarkToggle(mark),
                        new NftStatement.Masquerade(true)),
                NftRule.of(
                        new NftStatement.DestinationTranslated(),
                        new NftStatement.InSet(
                                List.of(SOURCE_ADDRESS, DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT), HAIRPIN),
                        new NftStatement.Masquerade(true)));
    }

    private List<NftRule> clusterIpsCheck() {
        List<NftRule> rules = new ArrayList<>();
        rules.add(new NftRule(
                List.of(new NftStatement.InSet(List.of(DESTINATION_ADDRESS), CLUSTER_IPS), new NftStatement.Reject()),
                "Reject traffic to invalid ports of ClusterIPs"));
        if (!context.serviceCidrs().isEmpty()) {
            rules.add(new NftRule(
                    List.of(
                            new NftStatement.AddressIn(DESTINATION_ADDRESS, context.serviceCidrs(), false),
                            NftVerdict.DROP),
                    "Drop traffic to unallocated ClusterIPs"));
        }
        return rules;
    }

    private void addSets() {
        List<NftField> hairpin = List.of(SOURCE_ADDRESS, DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);
        List<NftDatatype> verdict = List.of(NftDatatype.VERDICT);
        set(CLUSTER_IPS, List.of(DESTINATION_ADDRESS), List.of(), "Active ClusterIPs");
        set(HAIRPIN, hairpin, List.of(), "service hairpin connections");
        set(SERVICE_IPS, FRONTEND, verdict, "ClusterIP, ExternalIP and LoadBalancer IP traffic");
        set(SERVICE_NODE_PORTS, NODE_PORT, verdict, "NodePort traffic");
        set(NO_ENDPOINT_SERVICES, FRONTEND, verdict, "vmap to drop or reject packets to services with no endpoints");
        set(
                NO_ENDPOINT_NODE_PORTS,
                NODE_PORT,
                verdict,
                "vmap to drop or reject packets to service nodeports with no endpoints");
        set(FIREWALL_IPS, FRONTEND, verdict, "destinations that are subject to LoadBalancerSourceRanges");
        if (!context.nodePortsEverywhere()) {
            Map<NftValue, NftElement> addresses = new HashMap<>();
            for (IpAddress address : context.nodePortIps()) {
                addresses.put(NftValue.of(address), NftElement.of(NftValue.of(address)));
            }
            NftSet set = new NftSet(
                    table,
                    NODE_PORT_IPS,
                    types(List.of(DESTINATION_ADDRESS)),
                    List.of(),
                    "IPs that accept NodePort traffic");
            sets.put(NODE_PORT_IPS, new NftTableState.Elements(set, addresses));
        }
        if (context.sharedMaps()) {
            SharedMaps.addSets(table, context.family(), sets);
        }
    }

    private void set(String name, List<NftField> key, List<NftDatatype> data, String comment) {
        sets.put(name, new NftTableState.Elements(new NftSet(table, name, types(key), data, comment), Map.of()));
    }

    private List<NftDatatype> types(List<NftField> fields) {
        return fields.stream().map(field -> field.type(context.family())).toList();
    }
}
