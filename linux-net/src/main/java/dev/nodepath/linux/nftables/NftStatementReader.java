package dev.nodepath.linux.nftables;

import static dev.nodepath.linux.nftables.NftExpressions.AT_LEAST;
import static dev.nodepath.linux.nftables.NftExpressions.AT_MOST;
import static dev.nodepath.linux.nftables.NftExpressions.EQUAL;
import static dev.nodepath.linux.nftables.NftExpressions.NOT_EQUAL;
import static dev.nodepath.linux.nftables.NftExpressions.REGISTER;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the statements of a listed rule from its expressions: the inverse of {@link NftExpressions}. Other expressions
 * become {@link NftStatement.Unknown}.
 */
final class NftStatementReader {
    /** {@code nft} uses it in some rules to match the type of frames. It also matches frames with a VLAN tag. */
    private static final int META_ETHER_TYPE = 1;

    private final NftFamily family;
    private final Map<String, NftSetContent> anonymous;
    private final List<NftExpression> expressions;
    private final List<NftStatement> statements = new ArrayList<>();
    /** The IP version that the packets are known to have. */
    private @Nullable IpFamily version;

    /** The type that the frames are known to have in a table of them. */
    private byte[] etherType = {};

    private int at;

    private NftStatementReader(
            NftFamily family, Map<String, NftSetContent> anonymous, List<NftExpression> expressions) {
        this.family = family;
        this.anonymous = anonymous;
        this.expressions = expressions;
        this.version = family == NftFamily.IPV4 || family == NftFamily.IPV6 ? ip() : null;
    }

    /**
     * The statements of a rule.
     *
     * @param anonymous the anonymous sets of the table, by name
     */
    static List<NftStatement> read(
            NftFamily family, Map<String, NftSetContent> anonymous, List<NftExpression> expressions) {
        NftStatementReader reader = new NftStatementReader(family, anonymous, expressions);
        while (reader.at < expressions.size()) {
            NftStatement statement = reader.next();
            reader.add(
                    statement == null
                            ? new NftStatement.Unknown(
                                    expressions.get(reader.at++).name())
                            : statement);
        }
        return reader.statements;
    }

    /** Unknown expressions in a row are one statement. */
    private void add(NftStatement statement) {
        int last = statements.size() - 1;
        if (statement instanceof NftStatement.Unknown unknown
                && last >= 0
                && statements.get(last) instanceof NftStatement.Unknown before) {
            statements.set(last, new NftStatement.Unknown(before.expressions() + ", " + unknown.expressions()));
        } else {
            statements.add(statement);
        }
    }

    /** The expression at this distance; behind the last one an expression that nothing matches. */
    private NftExpression peek(int distance) {
        return at + distance < expressions.size() ? expressions.get(at + distance) : NftExpression.NONE;
    }

    private NftStatement took(int count, NftStatement statement) {
        at += count;
        return statement;
    }

    private @Nullable NftStatement next() {
        return switch (peek(0).name()) {
            case "immediate" -> immediate();
            case "meta" -> meta();
            case "payload" -> payload();
            case "ct" -> connection();
            case "fib" -> addressType();
            case "numgen" -> random();
            case "masq" -> masquerade();
            case "reject" -> reject();
            case "counter" -> took(1, new NftStatement.Counter());
            case "log" -> log();
            default -> null;
        };
    }

    /** Not one with a prefix, or one to the kernel's own log. */
    private @Nullable NftStatement log() {
        byte[] group = peek(0).data().bytes(NftExpressions.LOG_GROUP);
        boolean plain = group != null && !peek(0).data().has(NftExpressions.LOG_PREFIX);
        return plain ? took(1, new NftStatement.Log(ByteBuffer.wrap(group).getShort() & 0xFFFF)) : null;
    }

    private @Nullable NftStatement immediate() {
        NftExpression first = peek(0);
        if (first.number(1) == NftExpressions.REGISTER_VERDICT) {
            NftVerdict verdict = NftElementReader.verdict(first.data().nested(2));
            return verdict == null ? null : took(1, verdict);
        }
        byte[] address = first.value(2);
        if (Arrays.equals(address, NftExpressions.TRUE) && peek(1).setsMeta(NftExpressions.META_TRACE, REGISTER)) {
            return took(2, new NftStatement.TraceOn());
        }
        if (first.number(1) == REGISTER && address.length == addressBytes() && !peek(1).is("immediate")) {
            return portOf(1, Optional.of(IpAddress.of(address)));
        }
        byte[] port = peek(1).value(2);
        boolean loads = first.number(1) == REGISTER && peek(1).is("immediate") && peek(1).number(1) == REGISTER + 1;
        if (!loads
                || address.length != addressBytes()
                || port.length != NftExpressions.PORT_BYTES
                || !isNat(peek(2), REGISTER, REGISTER + 1)) {
            return null;
        }
        return took(3, new NftStatement.Dnat(destination(address, port)));
    }

    private @Nullable NftStatement meta() {
        NftExpression first = peek(0);
        if (first.isMeta(NftExpressions.META_MARK, REGISTER)) {
            return mark();
        } else if (first.isMeta(NftExpressions.META_INPUT_NAME, REGISTER)) {
            return inputInterface();
        } else if (first.isMeta(NftExpressions.META_PRIORITY, REGISTER)) {
            return sourceByPriority();
        } else if (first.isMeta(NftExpressions.META_PROTOCOL_FAMILY, REGISTER)
                || first.isMeta(META_ETHER_TYPE, REGISTER)) {
            return ofVersion();
        } else if (first.isMeta(NftExpressions.META_TRANSPORT, REGISTER) && peek(1).isCompare(EQUAL)) {
            byte[] protocol = peek(1).value(3);
            return protocol.length == 1 ? transport(protocol[0] & 0xFF) : null;
        }
        return fields();
    }

    private NftStatement transport(int protocol) {
        if (protocol == NftExpressions.ICMPV6
                && version == IpFamily.IPV6
                && peek(2).isPayload(NftExpressions.BASE_TRANSPORT, 0, 1, REGISTER)
                && peek(3).isCompare(EQUAL)) {
            return took(4, new NftStatement.Icmpv6Type(peek(3).value(3)[0] & 0xFF));
        }
        boolean loads = peek(2).isPayload(
                        NftExpressions.BASE_TRANSPORT, NftExpressions.PORT_OFFSET, NftExpressions.PORT_BYTES, REGISTER);
        if (loads && peek(3).isCompare(EQUAL)) {
            return took(4, new NftStatement.DestinationPort(protocol, port(3)));
        }
        if (loads && peek(3).isCompare(AT_LEAST) && peek(4).isCompare(AT_MOST)) {
            return took(5, new NftStatement.DestinationPorts(protocol, port(3), port(4)));
        }
        boolean loadsFlags = peek(2).isPayload(
                        NftExpressions.BASE_TRANSPORT,
                        NftExpressions.TCP_FLAGS_OFFSET,
                        NftExpressions.TCP_SYN.length,
                        REGISTER);
        if (protocol == NftExpressions.TCP
                && loadsFlags
                && peek(3).isMask(NftExpressions.TCP_SYN_OR_ACK)
                && peek(4).isCompare(NOT_EQUAL, NftExpressions.TCP_SYN)) {
            return took(5, new NftStatement.NoTcpStart());
        }
        return took(2, new NftStatement.Protocol(protocol));
    }

    /** The port that an expression compares with. */
    private int port(int distance) {
        byte[] port = peek(distance).value(3);
        return (port[0] & 0xFF) << 8 | (port[1] & 0xFF);
    }

    /** A match behind one of the IP version or of the type of frames, in a table that sees several. */
    private @Nullable NftStatement ofVersion() {
        if (!peek(1).isCompare(EQUAL)) {
            return null;
        }
        int start = at;
        IpFamily versionBefore = version;
        byte[] typeBefore = etherType;
        byte[] type = peek(1).value(3);
        version = version(type);
        etherType = type;
        at += 2;
        NftStatement match = next();
        if (match == null || !isOfVersion(match)) {
            at = start;
            version = versionBefore;
            etherType = typeBefore;
            return null;
        }
        return match;
    }

    private @Nullable IpFamily version(byte[] type) {
        for (IpFamily ip : IpFamily.values()) {
            byte[] value =
                    family == NftFamily.BRIDGE ? NftHeaders.etherType(ip) : new byte[] {(byte) ip.addressFamily()};
            if (Arrays.equals(value, type)) {
                return ip;
            }
        }
        return null;
    }

    /** Whether {@link NftExpressions} writes a match of the version, or of the type of frames, before it. */
    private boolean isOfVersion(NftStatement match) {
        return match instanceof NftStatement.AddressIn
                || match instanceof NftStatement.Icmpv6Type
                || (match instanceof NftStatement.InSet lookup && isOfFrames(lookup.key()))
                || (match instanceof NftStatement.VerdictOf choice && isOfFrames(choice.key()));
    }

    private boolean isOfFrames(List<NftField> key) {
        return family == NftFamily.BRIDGE
                && key.stream().anyMatch(field -> NftHeaders.etherType(field, ip()).length > 0);
    }

    private @Nullable NftStatement mark() {
        if (!peek(1).isBitwise()) {
            return null;
        }
        int mask = host(peek(1).value(4));
        int toggled = host(peek(1).value(5));
        NftExpression last = peek(2);
        if (toggled == 0 && last.isCompare(NOT_EQUAL, NftExpressions.host(0))) {
            return took(3, new NftStatement.MarkHas(mask));
        }
        if (!last.setsMeta(NftExpressions.META_MARK, REGISTER)) {
            return null;
        }
        if (mask == ~toggled) {
            return took(3, new NftStatement.MarkSet(toggled));
        }
        return mask == -1 ? took(3, new NftStatement.MarkToggle(toggled)) : null;
    }

    /** The kernel lists the address as a range from and to the same register. */
    private @Nullable NftStatement sourceByPriority() {
        NftExpression lookup = peek(1);
        NftExpression nat = peek(2);
        String map = lookup.data().text(NftExpressions.LOOKUP_SET);
        boolean matches = isLookup(lookup)
                && leadsTo(lookup, REGISTER)
                && !anonymous.containsKey(map)
                && nat.is("nat")
                && nat.number(1) == NftExpressions.NAT_SOURCE
                && nat.number(2) == family.number()
                && nat.number(3) == REGISTER
                && nat.number(4) == REGISTER
                && !nat.data().has(5)
                && (nat.number(7) & ~NftExpressions.NAT_WITH_ADDRESS) == 0;
        return matches ? took(3, new NftStatement.SourceByPriority(map)) : null;
    }

    private @Nullable NftStatement inputInterface() {
        boolean negated = peek(1).isCompare(NOT_EQUAL);
        if (!negated && !peek(1).isCompare(EQUAL)) {
            return fields();
        }
        byte[] name = peek(1).value(3);
        if (name.length > NftExpressions.LINK_NAME_BYTES) {
            return null;
        }
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        String text = new String(name, 0, length, StandardCharsets.UTF_8);
        boolean prefix = name.length < NftExpressions.LINK_NAME_BYTES;
        return took(2, new NftStatement.InputInterface(prefix ? text + "*" : text, negated));
    }

    private @Nullable NftStatement payload() {
        if (peek(0).isPayload(
                        NftExpressions.BASE_LINK,
                        NftExpressions.ETHER_TYPE_OFFSET,
                        NftExpressions.ETHER_TYPE_BYTES,
                        REGISTER)) {
            return ofVersion();
        }
        if (peek(0).isPayload(NftExpressions.BASE_LINK, NftExpressions.ETHER_SOURCE_OFFSET, MacAddress.LENGTH, REGISTER)
                && peek(1).isCompare(EQUAL)) {
            return took(2, new NftStatement.EtherSource(MacAddress.of(peek(1).value(3))));
        }
        NftStatement match = version == null ? null : address(version);
        return match == null ? fields() : match;
    }

    /** A match of an address with networks. */
    private @Nullable NftStatement address(IpFamily ip) {
        return new NftAddressReader(ip, anonymous)
                .read(peek(0), peek(1), peek(2))
                .map(match -> took(match.count(), match.statement()))
                .orElse(null);
    }

    private @Nullable NftStatement connection() {
        NftExpression load = peek(0);
        if (load.number(1) != REGISTER || !peek(2).isCompare(NOT_EQUAL, NftExpressions.host(0))) {
            return null;
        }
        if (load.number(2) == NftExpressions.CT_STATE) {
            NftStatement state = state(peek(1));
            return state == null ? null : took(3, state);
        }
        boolean translated = load.number(2) == NftExpressions.CT_STATUS
                && peek(1).isMask(NftExpressions.host(NftExpressions.CT_STATUS_DNAT));
        return translated ? took(3, new NftStatement.DestinationTranslated()) : null;
    }

    private static @Nullable NftStatement state(NftExpression mask) {
        if (mask.isMask(NftExpressions.host(NftExpressions.CT_STATE_NEW))) {
            return new NftStatement.NewConnection();
        } else if (mask.isMask(NftExpressions.host(NftExpressions.CT_STATE_KNOWN))) {
            return new NftStatement.KnownConnection();
        } else if (mask.isMask(NftExpressions.host(NftExpressions.CT_STATE_UNTRACKED))) {
            return new NftStatement.Untracked();
        }
        return null;
    }

    private @Nullable NftStatement addressType() {
        NftExpression load = peek(0);
        if (load.number(1) != REGISTER || load.number(2) != NftExpressions.FIB_TYPE) {
            return null;
        }
        boolean ofDestination = load.number(3) == NftExpressions.FIB_DESTINATION;
        if (ofDestination && peek(1).isCompare(EQUAL, NftExpressions.host(NftExpressions.ADDRESS_BROADCAST))) {
            return took(2, new NftStatement.DestinationBroadcast());
        }
        if (!peek(1).isCompare(EQUAL, NftExpressions.host(NftExpressions.ADDRESS_LOCAL))) {
            return null;
        }
        return switch (load.number(3)) {
            case NftExpressions.FIB_SOURCE -> took(2, new NftStatement.AddressLocal(NftField.SOURCE_ADDRESS));
            case NftExpressions.FIB_DESTINATION -> took(2, new NftStatement.AddressLocal(NftField.DESTINATION_ADDRESS));
            default -> null;
        };
    }

    private @Nullable NftStatement random() {
        NftExpression lookup = peek(1);
        if (!isRandom(peek(0), REGISTER) || !isLookup(lookup)) {
            return null;
        }
        NftSetContent map = anonymous.get(lookup.data().text(NftExpressions.LOOKUP_SET));
        List<NftData> data = map == null ? List.of() : map.byIndex();
        if (data.size() != peek(0).number(2)) {
            return null;
        }
        if (leadsTo(lookup, NftExpressions.REGISTER_VERDICT)) {
            return took(
                    2,
                    new NftStatement.RandomVerdict(
                            data.stream().map(NftVerdict.class::cast).toList()));
        }
        if (!leadsTo(lookup, REGISTER) || !isNat(peek(2), REGISTER, NftRegister.behindAddress(ip()))) {
            return null;
        }
        List<NftStatement.Destination> to = new ArrayList<>(data.size());
        for (NftData value : data) {
            byte[] bytes = ((NftValue) value).bytes();
            int port = addressBytes();
            to.add(destination(
                    Arrays.copyOf(bytes, port), Arrays.copyOfRange(bytes, port, port + NftExpressions.PORT_BYTES)));
        }
        return took(3, new NftStatement.RandomDnat(to));
    }

    /** A lookup of a port, behind so many expressions that load the address. */
    private @Nullable NftStatement portOf(int behind, Optional<IpAddress> address) {
        int register = REGISTER + behind;
        List<NftField> fields = loaded(behind, register);
        NftExpression lookup = peek(behind + fields.size());
        NftExpression use = peek(behind + fields.size() + 1);
        boolean translates = address.isPresent() ? isNat(use, REGISTER, register) : isRedirect(use, register);
        boolean matches = !fields.isEmpty()
                && lookup.is("lookup")
                && lookup.number(NftExpressions.LOOKUP_SOURCE) == register
                && leadsTo(lookup, register)
                && translates;
        return matches
                ? took(
                        behind + fields.size() + 2,
                        new NftStatement.PortOf(address, fields, lookup.data().text(NftExpressions.LOOKUP_SET)))
                : null;
    }

    /** The fields that the next expressions load, one behind the other from this register of 16 bytes on. */
    private List<NftField> loaded(int distance, int register) {
        List<NftField> fields = new ArrayList<>();
        int small = NftRegister.small(register);
        NftField field = field(peek(distance), small);
        while (field != null) {
            fields.add(field);
            small += field.type(ip()).paddedBytes() / 4;
            field = field(peek(distance + fields.size()), small);
        }
        return fields;
    }

    /** A lookup of fields of the packet. */
    private @Nullable NftStatement fields() {
        List<NftField> fields = loaded(0, REGISTER);
        if (fields.isEmpty() || !haveAll(fields)) {
            return null;
        }
        NftStatement translation = portOf(0, Optional.empty());
        if (translation != null) {
            return translation;
        }
        int small = NftRegister.SMALL
                + fields.stream()
                        .mapToInt(field -> field.type(ip()).paddedBytes() / 4)
                        .sum();
        NftExpression use = peek(fields.size());
        if (isRandom(use, NftRegister.of(small))) {
            return randomOf(fields, use.number(2));
        }
        if (use.is("dynset")) {
            return remember(fields, use);
        }
        String set = use.data().text(NftExpressions.LOOKUP_SET);
        if (!isLookup(use) || anonymous.containsKey(set)) {
            return null;
        }
        boolean negated = use.number(NftExpressions.LOOKUP_FLAGS) == NftExpressions.LOOKUP_INVERTED;
        if (leadsTo(use, NftExpressions.REGISTER_VERDICT)) {
            return took(fields.size() + 1, new NftStatement.VerdictOf(fields, set));
        }
        return use.data().has(NftExpressions.LOOKUP_DESTINATION)
                ? null
                : took(fields.size() + 1, new NftStatement.InSet(fields, set, negated));
    }

    /** Whether the rule's frames are known to have these fields. */
    private boolean haveAll(List<NftField> fields) {
        return family != NftFamily.BRIDGE
                || fields.stream()
                        .map(field -> NftHeaders.etherType(field, ip()))
                        .allMatch(type -> type.length == 0 || Arrays.equals(type, etherType));
    }

    private @Nullable NftField field(NftExpression load, int small) {
        int register = NftRegister.of(small);
        if (load.isMeta(NftExpressions.META_TRANSPORT, register)) {
            return NftField.PROTOCOL;
        }
        if (load.isMeta(NftExpressions.META_INPUT_NAME, register)) {
            return NftField.INPUT_INTERFACE;
        }
        for (NftField field : NftField.ADDRESSES) {
            if (load.isPayload(NftExpressions.BASE_NETWORK, NftHeaders.offset(field, ip()), addressBytes(), register)) {
                return field;
            }
        }
        for (NftField field : NftHeaders.PLACED) {
            NftHeaders.Place place = NftHeaders.place(field);
            if (load.isPayload(place.base(), place.offset(), field.type(ip()).bytes(), register)) {
                return field;
            }
        }
        return null;
    }

    private @Nullable NftStatement remember(List<NftField> fields, NftExpression update) {
        NetlinkAttributes data = update.data();
        boolean plain = fields.equals(List.of(NftField.SOURCE_ADDRESS))
                && update.number(3) == NftExpressions.DYNSET_UPDATE
                && update.number(4) == REGISTER
                && !data.has(5)
                && !data.has(7)
                && !data.has(10);
        return plain ? took(2, new NftStatement.Remember(data.text(1))) : null;
    }

    private @Nullable NftStatement randomOf(List<NftField> fields, int count) {
        NftExpression lookup = peek(3);
        boolean matches = fields.equals(List.of(NftField.DESTINATION_ADDRESS, NftField.DESTINATION_PORT))
                && isLookup(lookup)
                && leadsTo(lookup, REGISTER)
                && isNat(peek(4), REGISTER, NftRegister.behindAddress(ip()));
        int last = statements.size() - 1;
        if (!matches || last < 0 || !(statements.get(last) instanceof NftStatement.Protocol protocol)) {
            return null;
        }
        return took(
                5,
                new NftStatement.RandomDnatOf(
                        protocol.name(), count, lookup.data().text(NftExpressions.LOOKUP_SET)));
    }

    private @Nullable NftStatement masquerade() {
        NftExpression masquerade = peek(0);
        int flags = masquerade.number(1);
        boolean plain = !masquerade.data().has(2) && (flags == 0 || flags == NftExpressions.NAT_RANDOM_FULLY);
        return plain ? took(1, new NftStatement.Masquerade(flags != 0)) : null;
    }

    private @Nullable NftStatement reject() {
        NetlinkAttributes data = peek(0).data();
        boolean plain = data.networkNumber(1) == 0 && data.number(2) == NftExpressions.portUnreachable(family);
        return plain ? took(1, new NftStatement.Reject()) : null;
    }

    private static boolean isRandom(NftExpression expression, int register) {
        return expression.is("numgen")
                && expression.number(1) == register
                && expression.number(3) == NftExpressions.NUMGEN_RANDOM
                && expression.number(4) == 0;
    }

    private static boolean isLookup(NftExpression expression) {
        return expression.is("lookup") && expression.number(NftExpressions.LOOKUP_SOURCE) == REGISTER;
    }

    private static boolean leadsTo(NftExpression lookup, int register) {
        return lookup.data().has(NftExpressions.LOOKUP_DESTINATION)
                && lookup.number(NftExpressions.LOOKUP_DESTINATION) == register;
    }

    /** Whether it translates the destination to the address and the port in these registers, with no other flags. */
    private boolean isNat(NftExpression expression, int address, int port) {
        return expression.is("nat")
                && expression.number(1) == NftExpressions.NAT_DESTINATION
                && expression.number(2) == family.number()
                && expression.number(3) == address
                && expression.number(5) == port
                && (expression.number(7) & ~(NftExpressions.NAT_WITH_ADDRESS | NftExpressions.NAT_WITH_PORT)) == 0;
    }

    /** The kernel lists the port as a range from and to the same register. */
    private static boolean isRedirect(NftExpression expression, int port) {
        return expression.is("redir")
                && expression.number(NftExpressions.REDIR_PORT) == port
                && expression.number(NftExpressions.REDIR_PORT_LAST) == port
                && (expression.number(NftExpressions.REDIR_FLAGS) & ~NftExpressions.NAT_WITH_PORT) == 0;
    }

    private IpFamily ip() {
        return NftExpressions.ip(family);
    }

    private int addressBytes() {
        return ip().bits() / 8;
    }

    private static NftStatement.Destination destination(byte[] address, byte[] port) {
        return new NftStatement.Destination(
                IpAddress.of(address), ByteBuffer.wrap(port).getShort() & 0xFFFF);
    }

    private static int host(byte[] bytes) {
        return bytes.length == Integer.BYTES
                ? ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt()
                : 0;
    }
}
