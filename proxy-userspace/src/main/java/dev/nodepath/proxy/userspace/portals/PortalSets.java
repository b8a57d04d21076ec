package dev.nodepath.proxy.userspace.portals;

import static dev.nodepath.linux.nftables.NftField.DESTINATION_ADDRESS;
import static dev.nodepath.linux.nftables.NftField.DESTINATION_PORT;
import static dev.nodepath.linux.nftables.NftField.PROTOCOL;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.TableGroup;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The table of nf_tables that leads clients of Services to the relay: some rules that never change, and maps with an
 * element for each address of a service port. A packet is looked up once, however many Services there are.
 */
final class PortalSets {
    /** The table's name. */
    private static final String NAME = "nodepath-portals";

    private static final String PORTALS = "portals";
    private static final String NODE_PORTS = "nodeports";
    private static final String REFUSED = "refused";
    private static final String REFUSED_NODE_PORTS = "refused-nodeports";

    /**
     * Before iptables' rules ({@code NF_IP_PRI_NAT_DST}), as the rules for cluster IPs come first in iptables' chains.
     */
    private static final int PRIORITY_PORTALS = -105;

    /** After them, as the rules for node ports come last. */
    private static final int PRIORITY_NODE_PORTS = -99;

    /** Before iptables' filter: a firewall that drops must not hide the refusal. */
    private static final int PRIORITY_REFUSAL = -5;

    private static final List<NftField> ADDRESS_KEY = List.of(DESTINATION_ADDRESS, PROTOCOL, DESTINATION_PORT);
    private static final List<NftField> NODE_PORT_KEY = List.of(PROTOCOL, DESTINATION_PORT);
    private static final int COMMENT_MAX = 127;

    private final IpFamily family;
    private final NftTable table;
    private final PortalLayout layout;
    private final SortedMap<String, NftTableState.Chain> chains = new TreeMap<>();
    private final SortedMap<String, NftTableState.Elements> sets = new TreeMap<>();

    PortalSets(IpFamily family, PortalLayout layout) {
        this.family = family;
        this.table = table(family);
        this.layout = layout;
    }

    static NftTable table(IpFamily family) {
        return new NftTable(NftFamily.of(family), NAME);
    }

    /** The content of the table without any portal. */
    NftTableState frame() {
        // Without an address it is a redirect. That keeps the link's own address in replies, so a bridge can match
        // them.
        Optional<IpAddress> bound = layout.bound();
        // For packets of this host a redirect would use 127.0.0.1, and a client that is bound to a link could not match
        // the replies. So the target is the node's address, as in kube-proxy.
        Optional<IpAddress> forHost = bound.or(layout::node);
        nat("prerouting", PRIORITY_PORTALS, List.of(NftRule.of(new NftStatement.PortOf(bound, ADDRESS_KEY, PORTALS))));
        nat("output", PRIORITY_PORTALS, List.of(NftRule.of(new NftStatement.PortOf(forHost, ADDRESS_KEY, PORTALS))));
        nat("prerouting", PRIORITY_NODE_PORTS, toNodePorts(new NftStatement.PortOf(bound, NODE_PORT_KEY, NODE_PORTS)));
        nat("output", PRIORITY_NODE_PORTS, toNodePorts(new NftStatement.PortOf(forHost, NODE_PORT_KEY, NODE_PORTS)));
        chain(new NftChain(table, REFUSED, Optional.empty()), refusals());
        for (String hook : List.of("input", "forward", "output")) {
            NftChain.Hook where = NftChain.Hook.of("filter", hook, PRIORITY_REFUSAL);
            chain(
                    new NftChain(table, "filter-" + hook, Optional.of(where)),
                    List.of(NftRule.of(new NftStatement.NewConnection(), NftVerdict.jump(REFUSED))));
        }
        set(PORTALS, ADDRESS_KEY, List.of(NftDatatype.INET_SERVICE), "the relay's port by address of a Service");
        set(NODE_PORTS, NODE_PORT_KEY, List.of(NftDatatype.INET_SERVICE), "the relay's port by node port");
        set(REFUSED, ADDRESS_KEY, List.of(), "Services without endpoints");
        set(REFUSED_NODE_PORTS, NODE_PORT_KEY, List.of(), "node ports without endpoints");
        return new NftTableState(table, "leads clients of Services to Nodepath's relay", chains, sets);
    }

    private void nat(String hook, int priority, List<NftRule> rules) {
        String name = (priority == PRIORITY_PORTALS ? "portals-" : "nodeports-") + hook;
        chain(new NftChain(table, name, Optional.of(NftChain.Hook.of("nat", hook, priority))), rules);
    }

    private void chain(NftChain chain, List<NftRule> rules) {
        chains.put(chain.name(), new NftTableState.Chain(chain, rules));
    }

    /** A rule for packets to the addresses that serve node ports. */
    private List<NftRule> toNodePorts(NftStatement... last) {
        List<NftStatement> statements = new ArrayList<>(List.of(new NftStatement.AddressLocal(DESTINATION_ADDRESS)));
        if (!layout.nodePortNetworks().isEmpty()) {
            statements.add(new NftStatement.AddressIn(DESTINATION_ADDRESS, layout.nodePortNetworks(), false));
        }
        statements.addAll(List.of(last));
        return List.of(new NftRule(statements, ""));
    }

    /** The relay's own port may have the number of a node port. Redirected packets are translated already. */
    private List<NftRule> refusals() {
        List<NftRule> rules = new ArrayList<>();
        rules.add(NftRule.of(new NftStatement.InSet(ADDRESS_KEY, REFUSED), new NftStatement.Reject()));
        rules.add(NftRule.of(new NftStatement.DestinationTranslated(), NftVerdict.RETURN));
        rules.addAll(toNodePorts(new NftStatement.InSet(NODE_PORT_KEY, REFUSED_NODE_PORTS), new NftStatement.Reject()));
        return rules;
    }

    private void set(String name, List<NftField> key, List<NftDatatype> data, String comment) {
        List<NftDatatype> types = key.stream().map(field -> field.type(family)).toList();
        sets.put(name, new NftTableState.Elements(new NftSet(table, name, types, data, comment), Map.of()));
    }

    /** The elements of one portal. */
    TableGroup group(Portal portal) {
        String comment = portal.name().toString();
        String shortened = comment.substring(0, Math.min(comment.length(), COMMENT_MAX));
        int protocol = portal.protocol().number();
        List<TableGroup.Element> elements = new ArrayList<>();
        for (ServiceEntry entry : ServiceEntry.values()) {
            int port = layout.ports().of(portal, entry);
            Optional<NftValue> leads =
                    portal.serves(entry) && port != 0 ? Optional.of(NftValue.ofPort(port)) : Optional.empty();
            for (IpAddress address : portal.addresses(entry)) {
                NftValue key = NftValue.of(address, protocol, portal.service().port());
                elements.add(element(leads.isPresent() ? PORTALS : REFUSED, key, leads, shortened));
            }
            if (entry == ServiceEntry.EXTERNAL && portal.nodePort() != 0) {
                NftValue key = NftValue.of(protocol, portal.nodePort());
                elements.add(element(leads.isPresent() ? NODE_PORTS : REFUSED_NODE_PORTS, key, leads, shortened));
            }
        }
        return new TableGroup(List.of(), List.of(), elements);
    }

    private static TableGroup.Element element(String set, NftValue key, Optional<NftValue> port, String comment) {
        return new TableGroup.Element(set, new NftElement(key, port.map(data -> data), comment));
    }

    /** The ports that a table in the kernel leads to. */
    static RedirectedPorts ports(NftTableState found, Predicate<RedirectedPorts.Port> isOwn) {
        Set<RedirectedPorts.Port> all = new HashSet<>();
        for (String map : List.of(PORTALS, NODE_PORTS)) {
            NftTableState.Elements elements = found.sets().get(map);
            if (elements != null) {
                elements.elements().values().forEach(element -> port(element).ifPresent(all::add));
            }
        }
        Map<Boolean, Set<RedirectedPorts.Port>> byOwner =
                all.stream().collect(Collectors.partitioningBy(isOwn, Collectors.toSet()));
        return new RedirectedPorts(byOwner.getOrDefault(true, Set.of()), byOwner.getOrDefault(false, Set.of()));
    }

    /** The protocol is the last but one of a key's fields. Each is padded to 4 bytes. */
    private static Optional<RedirectedPorts.Port> port(NftElement element) {
        byte[] key = element.key().bytes();
        if (key.length < 2 * Integer.BYTES
                || !(element.data().orElse(null) instanceof NftValue data)
                || data.bytes().length < Short.BYTES) {
            return Optional.empty();
        }
        int protocol = key[key.length - 2 * Integer.BYTES];
        int port = Short.toUnsignedInt(ByteBuffer.wrap(data.bytes()).getShort());
        return List.of(Protocol.TCP, Protocol.UDP).stream()
                .filter(known -> known.number() == protocol)
                .findFirst()
                .map(known -> new RedirectedPorts.Port(known, port));
    }
}
