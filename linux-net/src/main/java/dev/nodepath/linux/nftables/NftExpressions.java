package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * Writes a rule's statements as the expressions that the kernel evaluates ({@code nf_tables.h}): the same ones in the
 * same registers as {@code nft} 1.0.6 writes, because {@code nft} cannot print others.
 */
final class NftExpressions {
    static final int NAME = 1;
    static final int DATA = 2;
    static final int REGISTER_VERDICT = 0;

    /** Every kernel has these. It refuses them with ENOENT too, if the set or chain that they name is not there. */
    static final Set<String> REFERRING = Set.of("dynset", "immediate", "lookup");

    /** The first register of 16 bytes: the same as registers 8 to 11 of 4 bytes. */
    static final int REGISTER = 1;

    static final int META_PRIORITY = 2;
    static final int META_MARK = 3;
    static final int META_INPUT_NAME = 6;
    static final int META_TRACE = 12;
    static final int META_PROTOCOL_FAMILY = 15;
    static final int META_TRANSPORT = 16;
    static final int BASE_LINK = 0;
    static final int BASE_NETWORK = 1;
    static final int BASE_TRANSPORT = 2;
    static final int EQUAL = 0;
    static final int NOT_EQUAL = 1;
    static final int AT_MOST = 3;
    static final int AT_LEAST = 5;
    static final int LINK_NAME_BYTES = 16;
    static final int ETHER_SOURCE_OFFSET = 6;
    static final int ETHER_TYPE_OFFSET = 12;
    static final int ETHER_TYPE_BYTES = 2;
    static final int ICMPV6 = 58;

    static final int PORT_OFFSET = 2;
    static final int PORT_BYTES = 2;

    static final int LOG_GROUP = 1;
    static final int LOG_PREFIX = 2;

    static final int TCP = 6;
    /** Of the octet with the flags in TCP's header (RFC 9293, section 3.1). */
    static final int TCP_FLAGS_OFFSET = 13;

    static final byte[] TCP_SYN = {0x02};
    static final byte[] TCP_SYN_OR_ACK = {0x12};

    static final int CT_STATE = 0;
    static final int CT_STATUS = 2;
    /** {@code ct state new} ({@code NF_CT_STATE_BIT(IP_CT_NEW)}). */
    static final int CT_STATE_NEW = 8;
    /** {@code ct state established,related}. */
    static final int CT_STATE_KNOWN = 6;
    /** {@code NF_CT_STATE_UNTRACKED_BIT}. */
    static final int CT_STATE_UNTRACKED = 64;
    /** {@code IPS_DST_NAT}. */
    static final int CT_STATUS_DNAT = 0x20;

    static final byte[] TRUE = {1};
    static final int FIB_TYPE = 3;
    static final int FIB_SOURCE = 1;
    static final int FIB_DESTINATION = 2;
    /** {@code RTN_LOCAL}. */
    static final int ADDRESS_LOCAL = 2;
    /** {@code RTN_BROADCAST}. */
    static final int ADDRESS_BROADCAST = 3;

    static final int NUMGEN_RANDOM = 1;
    static final int NAT_SOURCE = 0;
    static final int NAT_DESTINATION = 1;
    /** {@code NF_NAT_RANGE_MAP_IPS}, which the kernel sets itself. */
    static final int NAT_WITH_ADDRESS = 1;
    /** {@code NF_NAT_RANGE_PROTO_SPECIFIED}. */
    static final int NAT_WITH_PORT = 2;
    /** {@code NF_NAT_RANGE_PROTO_RANDOM_FULLY}. */
    static final int NAT_RANDOM_FULLY = 0x10;

    static final int REDIR_PORT = 1;
    static final int REDIR_PORT_LAST = 2;
    static final int REDIR_FLAGS = 3;

    static final int LOOKUP_SET = 1;
    static final int LOOKUP_SOURCE = 2;
    static final int LOOKUP_DESTINATION = 3;
    static final int LOOKUP_SET_ID = 4;
    static final int LOOKUP_FLAGS = 5;
    static final int LOOKUP_INVERTED = 1;
    private static final int NO_SET_ID = 0;
    private static final int ICMP_PORT_UNREACHABLE = 3;
    private static final int ICMPV6_PORT_UNREACHABLE = 4;
    static final int DYNSET_UPDATE = 1;

    private final NetlinkRequest request;
    private final NftFamily family;
    private final ToIntFunction<NftAnonymousSet> anonymous;
    /** The type of the frames that the rule is for, if a statement has said so. */
    private byte[] etherType = {};

    /**
     * Writes into a request.
     *
     * @param family of the table
     * @param anonymous adds a set for the rule, and returns its number in the transaction
     */
    NftExpressions(NetlinkRequest request, NftFamily family, ToIntFunction<NftAnonymousSet> anonymous) {
        this.request = request;
        this.family = family;
        this.anonymous = anonymous;
    }

    /**
     * The name of the expression that begins at an offset of a message. There is none if another attribute begins
     * there, such as the table's name: that has the same type, but holds no attributes.
     */
    static Optional<String> name(ByteBuffer message, int offset) {
        if ((message.getShort(offset + Short.BYTES) & 0xFFFF) != (NftMessages.LIST_ELEMENT | NetlinkRequest.NESTED)) {
            return Optional.empty();
        }
        int bytes = message.getShort(offset) & 0xFFFF;
        NetlinkAttributes element = NetlinkAttributes.parse(message.slice(offset, bytes));
        return Optional.of(element.nested(NftMessages.LIST_ELEMENT).text(NAME));
    }

    void write(NftStatement statement) {
        if (statement instanceof NftVerdict verdict) {
            immediate(REGISTER_VERDICT, verdict);
        } else if (statement instanceof NftStatement.AddressIn match) {
            addressIn(match);
        } else if (statement instanceof NftStatement.InputInterface match) {
            inputInterface(match);
        } else if (statement instanceof NftStatement.EtherSource match) {
            payload(BASE_LINK, ETHER_SOURCE_OFFSET, MacAddress.LENGTH, REGISTER);
            compare(EQUAL, match.mac().toBytes());
        } else if (statement instanceof NftStatement.Protocol match) {
            meta(META_TRANSPORT, REGISTER);
            compare(EQUAL, new byte[] {(byte) match.number()});
        } else if (statement instanceof NftStatement.DestinationPort match) {
            write(new NftStatement.Protocol(match.protocol()));
            payload(BASE_TRANSPORT, PORT_OFFSET, PORT_BYTES, REGISTER);
            compare(EQUAL, NftValue.ofPort(match.port()).bytes());
        } else if (statement instanceof NftStatement.DestinationPorts match) {
            write(new NftStatement.Protocol(match.protocol()));
            payload(BASE_TRANSPORT, PORT_OFFSET, PORT_BYTES, REGISTER);
            compare(AT_LEAST, NftValue.ofPort(match.first()).bytes());
            compare(AT_MOST, NftValue.ofPort(match.last()).bytes());
        } else if (statement instanceof NftStatement.NoTcpStart) {
            write(new NftStatement.Protocol(TCP));
            payload(BASE_TRANSPORT, TCP_FLAGS_OFFSET, TCP_SYN.length, REGISTER);
            bitwise(TCP_SYN_OR_ACK, new byte[TCP_SYN.length]);
            compare(NOT_EQUAL, TCP_SYN);
        } else if (statement instanceof NftStatement.Icmpv6Type match) {
            version(IpFamily.IPV6);
            write(new NftStatement.Protocol(ICMPV6));
            payload(BASE_TRANSPORT, 0, 1, REGISTER);
            compare(EQUAL, new byte[] {(byte) match.type()});
        } else if (statement instanceof NftStatement.NewConnection) {
            ct(CT_STATE, CT_STATE_NEW);
        } else if (statement instanceof NftStatement.KnownConnection) {
            ct(CT_STATE, CT_STATE_KNOWN);
        } else if (statement instanceof NftStatement.Untracked) {
            ct(CT_STATE, CT_STATE_UNTRACKED);
        } else if (statement instanceof NftStatement.DestinationTranslated) {
            ct(CT_STATUS, CT_STATUS_DNAT);
        } else if (statement instanceof NftStatement.AddressLocal match) {
            addressType(match.field(), ADDRESS_LOCAL);
        } else if (statement instanceof NftStatement.DestinationBroadcast) {
            addressType(NftField.DESTINATION_ADDRESS, ADDRESS_BROADCAST);
        } else if (statement instanceof NftStatement.InSet lookup) {
            lookup(load(lookup.key()), lookup.set(), NO_SET_ID, -1, lookup.negated());
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            lookup(load(lookup.key()), lookup.map(), NO_SET_ID, REGISTER_VERDICT, false);
        } else {
            writeAction(statement);
        }
    }

    private void writeAction(NftStatement statement) {
        if (statement instanceof NftStatement.MarkHas match) {
            meta(META_MARK, REGISTER);
            bitwise(host(match.bits()), host(0));
            compare(NOT_EQUAL, host(0));
        } else if (statement instanceof NftStatement.MarkSet action) {
            mark(~action.bits(), action.bits());
        } else if (statement instanceof NftStatement.MarkToggle action) {
            mark(-1, action.bits());
        } else if (statement instanceof NftStatement.RandomVerdict choice) {
            random(choice.verdicts().size(), REGISTER);
            lookup(NftAnonymousSet.byIndex(List.of(NftDatatype.VERDICT), choice.verdicts()), REGISTER_VERDICT);
        } else if (statement instanceof NftStatement.RandomDnat choice) {
            random(choice.to().size(), REGISTER);
            lookup(NftAnonymousSet.byIndex(destinationType(), destinations(choice.to())), REGISTER);
            nat(REGISTER, NftRegister.behindAddress(ip()), false);
        } else if (statement instanceof NftStatement.RandomDnatOf choice) {
            List<NftField> fields = List.of(NftField.DESTINATION_ADDRESS, NftField.DESTINATION_PORT);
            load(fields);
            random(choice.count(), NftRegister.behindPort(ip()));
            lookup(REGISTER, choice.map(), NO_SET_ID, REGISTER, false);
            nat(REGISTER, NftRegister.behindAddress(ip()), false);
        } else if (statement instanceof NftStatement.Dnat dnat) {
            immediate(REGISTER, NftValue.of(dnat.to().address()));
            immediate(REGISTER + 1, NftValue.ofPort(dnat.to().port()));
            nat(REGISTER, REGISTER + 1, true);
        } else if (statement instanceof NftStatement.PortOf translation) {
            portOf(translation);
        } else if (statement instanceof NftStatement.SourceByPriority translation) {
            sourceByPriority(translation);
        } else if (statement instanceof NftStatement.Remember action) {
            remember(action);
        } else if (statement instanceof NftStatement.TraceOn) {
            immediate(REGISTER, NftValue.of(TRUE));
            setMeta(META_TRACE);
        } else if (statement instanceof NftStatement.Counter) {
            end(begin("counter"));
        } else if (statement instanceof NftStatement.Log log) {
            int[] start = begin("log");
            request.attribute(
                    LOG_GROUP,
                    ByteBuffer.allocate(Short.BYTES)
                            .putShort((short) log.group())
                            .array());
            end(start);
        } else if (statement instanceof NftStatement.Masquerade action) {
            int[] start = begin("masq");
            if (action.fullyRandom()) {
                number(1, NAT_RANDOM_FULLY);
            }
            end(start);
        } else if (statement instanceof NftStatement.Reject) {
            int[] start = begin("reject");
            number(1, 0);
            request.byteAttribute(2, portUnreachable(family));
            end(start);
        } else {
            throw new IllegalArgumentException("statement: " + statement + " (expected: one of NftStatement)");
        }
    }

    private void portOf(NftStatement.PortOf translation) {
        int keyRegister = REGISTER;
        if (translation.address().isPresent()) {
            immediate(REGISTER, NftValue.of(translation.address().get()));
            keyRegister = REGISTER + 1;
        }
        load(translation.key(), keyRegister);
        lookup(keyRegister, translation.map(), NO_SET_ID, keyRegister, false);
        if (translation.address().isPresent()) {
            nat(REGISTER, keyRegister, true);
        } else {
            int[] start = begin("redir");
            number(REDIR_PORT, keyRegister);
            number(REDIR_FLAGS, NAT_WITH_PORT);
            end(start);
        }
    }

    private void sourceByPriority(NftStatement.SourceByPriority translation) {
        meta(META_PRIORITY, REGISTER);
        lookup(REGISTER, translation.map(), NO_SET_ID, REGISTER, false);
        int[] start = begin("nat");
        number(1, NAT_SOURCE);
        number(2, family.number());
        number(3, REGISTER);
        end(start);
    }

    private void addressIn(NftStatement.AddressIn match) {
        IpFamily ip = match.networks().get(0).family();
        version(ip);
        if (match.networks().size() == 1) {
            network(match.networks().get(0), NftHeaders.offset(match.field(), ip), match.negated() ? NOT_EQUAL : EQUAL);
        } else {
            payload(BASE_NETWORK, NftHeaders.offset(match.field(), ip), ip.bits() / 8, REGISTER);
            NftAnonymousSet set = NftAnonymousSet.of(match.field().type(ip), match.networks());
            lookup(REGISTER, set.name(), anonymous.applyAsInt(set), -1, match.negated());
        }
    }

    /** In a table that sees both IP versions, matches one: their headers have fields at different offsets. */
    private void version(IpFamily ip) {
        if (family == NftFamily.INET) {
            meta(META_PROTOCOL_FAMILY, REGISTER);
            compare(EQUAL, new byte[] {(byte) ip.addressFamily()});
        } else {
            frames(NftHeaders.etherType(ip));
        }
    }

    /** In a table of frames, matches frames of a type without a VLAN tag, unless the rule has done so. */
    private void frames(byte[] type) {
        if (family == NftFamily.BRIDGE && type.length > 0 && !Arrays.equals(type, etherType)) {
            payload(BASE_LINK, ETHER_TYPE_OFFSET, ETHER_TYPE_BYTES, REGISTER);
            compare(EQUAL, type);
            etherType = type;
        }
    }

    /** A prefix of whole bytes is compared by itself. */
    private void network(Cidr network, int offset, int operator) {
        byte[] bytes = network.network().address().toBytes();
        int prefix = network.prefixLength();
        if (prefix > 0 && prefix % 8 == 0) {
            payload(BASE_NETWORK, offset, prefix / 8, REGISTER);
            compare(operator, Arrays.copyOf(bytes, prefix / 8));
        } else {
            payload(BASE_NETWORK, offset, bytes.length, REGISTER);
            bitwise(NftHeaders.mask(network.family(), prefix), new byte[bytes.length]);
            compare(operator, bytes);
        }
    }

    static int portUnreachable(NftFamily family) {
        return family == NftFamily.IPV6 ? ICMPV6_PORT_UNREACHABLE : ICMP_PORT_UNREACHABLE;
    }

    private void inputInterface(NftStatement.InputInterface match) {
        meta(META_INPUT_NAME, REGISTER);
        boolean prefix = match.name().endsWith("*");
        byte[] name = match.name().getBytes(StandardCharsets.UTF_8);
        compare(match.negated() ? NOT_EQUAL : EQUAL, Arrays.copyOf(name, prefix ? name.length - 1 : LINK_NAME_BYTES));
    }

    private void addressType(NftField field, int type) {
        int[] start = begin("fib");
        number(1, REGISTER);
        number(2, FIB_TYPE);
        number(3, field == NftField.SOURCE_ADDRESS ? FIB_SOURCE : FIB_DESTINATION);
        end(start);
        compare(EQUAL, host(type));
    }

    private void ct(int key, int bits) {
        int[] start = begin("ct");
        number(1, REGISTER);
        number(2, key);
        end(start);
        bitwise(host(bits), host(0));
        compare(NOT_EQUAL, host(0));
    }

    private void mark(int kept, int toggled) {
        meta(META_MARK, REGISTER);
        bitwise(host(kept), host(toggled));
        setMeta(META_MARK);
    }

    private void setMeta(int key) {
        int[] start = begin("meta");
        number(2, key);
        number(3, REGISTER);
        end(start);
    }

    /** Loads fields one behind the other, and returns the register of the first. */
    private int load(List<NftField> fields) {
        load(fields, REGISTER);
        return REGISTER;
    }

    /** Loads fields one behind the other, from this register of 16 bytes on. */
    private void load(List<NftField> fields, int first) {
        fields.forEach(field -> frames(NftHeaders.etherType(field, ip())));
        int small = NftRegister.small(first);
        for (NftField field : fields) {
            load(field, NftRegister.of(small));
            small += field.type(ip()).paddedBytes() / 4;
        }
    }

    private void load(NftField field, int register) {
        switch (field) {
            case SOURCE_ADDRESS, DESTINATION_ADDRESS ->
                payload(BASE_NETWORK, NftHeaders.offset(field, ip()), ip().bits() / 8, register);
            case PROTOCOL -> meta(META_TRANSPORT, register);
            case INPUT_INTERFACE -> meta(META_INPUT_NAME, register);
            default -> {
                NftHeaders.Place place = NftHeaders.place(field);
                payload(place.base(), place.offset(), field.type(ip()).bytes(), register);
            }
        }
    }

    private IpFamily ip() {
        return ip(family);
    }

    /** The IP version whose header a table of a family reads addresses from. */
    static IpFamily ip(NftFamily family) {
        return family == NftFamily.IPV6 ? IpFamily.IPV6 : IpFamily.IPV4;
    }

    private List<NftDatatype> destinationType() {
        return List.of(NftField.DESTINATION_ADDRESS.type(ip()), NftDatatype.INET_SERVICE);
    }

    private static List<NftValue> destinations(List<NftStatement.Destination> destinations) {
        List<NftValue> values = new ArrayList<>(destinations.size());
        for (NftStatement.Destination to : destinations) {
            values.add(NftValue.of(to.address(), to.port()));
        }
        return values;
    }

    private void random(int modulus, int register) {
        int[] start = begin("numgen");
        number(1, register);
        number(2, modulus);
        number(3, NUMGEN_RANDOM);
        number(4, 0);
        end(start);
    }

    private void lookup(NftAnonymousSet map, int destination) {
        lookup(REGISTER, map.name(), anonymous.applyAsInt(map), destination, false);
    }

    /** The result goes to a register; with -1 the packet is only matched. */
    private void lookup(int source, String set, int id, int destination, boolean inverted) {
        int[] start = begin("lookup");
        request.attribute(LOOKUP_SET, set);
        number(LOOKUP_SOURCE, source);
        if (destination >= 0) {
            number(LOOKUP_DESTINATION, destination);
        }
        if (id != NO_SET_ID) {
            number(LOOKUP_SET_ID, id);
        }
        if (inverted) {
            number(LOOKUP_FLAGS, LOOKUP_INVERTED);
        }
        end(start);
    }

    private void nat(int address, int port, boolean withFlags) {
        int[] start = begin("nat");
        number(1, NAT_DESTINATION);
        number(2, family.number());
        number(3, address);
        number(5, port);
        if (withFlags) {
            number(7, NAT_WITH_PORT);
        }
        end(start);
    }

    private void remember(NftStatement.Remember action) {
        int register = load(List.of(NftField.SOURCE_ADDRESS));
        int[] start = begin("dynset");
        request.attribute(1, action.set());
        number(3, DYNSET_UPDATE);
        number(4, register);
        end(start);
    }

    private void meta(int key, int register) {
        int[] start = begin("meta");
        number(1, register);
        number(2, key);
        end(start);
    }

    private void payload(int base, int offset, int length, int register) {
        int[] start = begin("payload");
        number(1, register);
        number(2, base);
        number(3, offset);
        number(4, length);
        end(start);
    }

    private void bitwise(byte[] mask, byte[] xor) {
        int[] start = begin("bitwise");
        number(1, REGISTER);
        number(2, REGISTER);
        number(3, mask.length);
        value(4, mask);
        value(5, xor);
        end(start);
    }

    private void compare(int operator, byte[] bytes) {
        int[] start = begin("cmp");
        number(1, REGISTER);
        number(2, operator);
        value(3, bytes);
        end(start);
    }

    private void immediate(int register, NftData data) {
        int[] start = begin("immediate");
        number(1, register);
        NftMessages.data(request, 2, data);
        end(start);
    }

    /** Marks and kernel constants are in host order. */
    static byte[] host(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.nativeOrder())
                .putInt(value)
                .array();
    }

    private void number(int type, int value) {
        NftMessages.number(request, type, value);
    }

    private void value(int type, byte[] bytes) {
        NftMessages.data(request, type, NftValue.of(bytes));
    }

    private int[] begin(String name) {
        int element = request.begin(NftMessages.LIST_ELEMENT | NetlinkRequest.NESTED);
        request.attribute(NAME, name);
        return new int[] {element, request.begin(DATA | NetlinkRequest.NESTED)};
    }

    private void end(int[] start) {
        request.end(start[1]).end(start[0]);
    }
}
