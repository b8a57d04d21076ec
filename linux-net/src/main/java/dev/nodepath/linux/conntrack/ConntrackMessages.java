package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests about tracked flows, and the kernel's entries ({@code include/uapi/linux/netfilter/nfnetlink_conntrack.h}).
 * Numbers are in network byte order here, unlike in the rest of netlink.
 */
final class ConntrackMessages {
    /** {@code struct nfgenmsg}: family, version, resource. */
    private static final int HEADER_BYTES = 4;

    /** {@code AF_UNSPEC}. */
    private static final int ANY_FAMILY = 0;

    private static final int SUBSYSTEM = 1 << 8;
    private static final int GET = SUBSYSTEM | 1;
    private static final int DELETE = SUBSYSTEM | 2;

    private static final int TUPLE_ORIGINAL = 1;
    private static final int TUPLE_REPLY = 2;
    private static final int STATUS = 3;
    private static final int PROTOCOL_INFO = 4;
    private static final int TIMEOUT = 7;
    private static final int ORIGINAL_COUNTERS = 9;
    private static final int REPLY_COUNTERS = 10;
    private static final int ID = 12;
    private static final int ZONE = 18;
    private static final int FILTER = 25;
    private static final int STATUS_MASK = 26;

    /** {@code IPS_SEEN_REPLY} of {@code include/uapi/linux/netfilter/nf_conntrack_common.h}. */
    private static final int SEEN_REPLY = 1 << 1;

    private static final int TCP_INFO = 1;
    private static final int TCP_STATE = 1;
    private static final int PACKETS = 1;
    private static final int BYTES = 2;

    /** {@code enum tcp_conntrack} of {@code include/uapi/linux/netfilter/nf_conntrack_tcp.h}. */
    private static final List<String> TCP_STATES = List.of(
            "NONE",
            "SYN_SENT",
            "SYN_RECV",
            "ESTABLISHED",
            "FIN_WAIT",
            "CLOSE_WAIT",
            "LAST_ACK",
            "TIME_WAIT",
            "CLOSE",
            "SYN_SENT2");

    private static final int FILTER_ORIGINAL_FLAGS = 1;
    /**
     * Compare the destination address, and the protocol's number; from {@code net/netfilter/nf_internals.h}, Linux
     * 5.8.
     */
    private static final int FILTER_DESTINATION = 1 << 1;

    private static final int FILTER_PROTOCOL = 1 << 3;

    private static final int TUPLE_IP = 1;
    private static final int TUPLE_PROTOCOL = 2;
    private static final int TUPLE_ZONE = 3;
    private static final int IPV4_SOURCE = 1;
    private static final int IPV4_DESTINATION = 2;
    private static final int IPV6_SOURCE = 3;
    private static final int IPV6_DESTINATION = 4;
    private static final int PROTOCOL_NUMBER = 1;
    private static final int SOURCE_PORT = 2;
    private static final int DESTINATION_PORT = 3;

    private ConntrackMessages() {}

    /** Lists these flows. A kernel before 5.8 ignores the filters and lists all flows of the family. */
    static NetlinkRequest list(FlowFilter wanted) {
        boolean v4 = wanted.family() == IpFamily.IPV4;
        byte[] destination = wanted.destination().map(IpAddress::toBytes).orElse(null);
        NetlinkRequest request =
                header(NetlinkRequest.dump(GET), wanted.family().addressFamily());
        int filter = request.begin(FILTER | NetlinkRequest.NESTED);
        int flags = destination == null ? FILTER_PROTOCOL : FILTER_PROTOCOL | FILTER_DESTINATION;
        request.attribute(FILTER_ORIGINAL_FLAGS, flags).end(filter);
        if (wanted.unansweredOnly()) {
            request.attribute(STATUS, fourBytes(0)).attribute(STATUS_MASK, fourBytes(SEEN_REPLY));
        }
        int tuple = request.begin(TUPLE_ORIGINAL | NetlinkRequest.NESTED);
        if (destination != null) {
            int ip = request.begin(TUPLE_IP | NetlinkRequest.NESTED);
            request.attribute(v4 ? IPV4_DESTINATION : IPV6_DESTINATION, destination)
                    .end(ip);
        }
        int inner = request.begin(TUPLE_PROTOCOL | NetlinkRequest.NESTED);
        return request.byteAttribute(PROTOCOL_NUMBER, wanted.protocol())
                .end(inner)
                .end(tuple);
    }

    /** Lists the flows of every family and protocol. */
    static NetlinkRequest listAll() {
        return header(NetlinkRequest.dump(GET), ANY_FAMILY);
    }

    /** Removes the entry with this tuple if it still has this ID. */
    static NetlinkRequest delete(ConntrackFlow flow) {
        ConntrackFlow.Tuple original = flow.original();
        NetlinkRequest request = header(
                NetlinkRequest.acknowledged(DELETE, 0),
                original.source().family().addressFamily());
        original(request, flow.protocol(), original);
        if (flow.zone() != 0) {
            request.attribute(ZONE, twoBytes(flow.zone()));
        }
        return request.attribute(ID, fourBytes(flow.id()));
    }

    /** Asks for the entry with this tuple, in either direction. */
    static NetlinkRequest get(int protocol, ConntrackFlow.Tuple tuple) {
        NetlinkRequest request = header(
                NetlinkRequest.acknowledged(GET, 0), tuple.source().family().addressFamily());
        original(request, protocol, tuple);
        return request;
    }

    private static void original(NetlinkRequest request, int protocol, ConntrackFlow.Tuple original) {
        boolean v4 = original.source().family() == IpFamily.IPV4;
        int tuple = request.begin(TUPLE_ORIGINAL | NetlinkRequest.NESTED);
        int ip = request.begin(TUPLE_IP | NetlinkRequest.NESTED);
        request.attribute(v4 ? IPV4_SOURCE : IPV6_SOURCE, original.source().toBytes())
                .attribute(
                        v4 ? IPV4_DESTINATION : IPV6_DESTINATION,
                        original.destination().toBytes())
                .end(ip);
        int ports = request.begin(TUPLE_PROTOCOL | NetlinkRequest.NESTED);
        request.byteAttribute(PROTOCOL_NUMBER, protocol)
                .attribute(SOURCE_PORT, twoBytes(original.sourcePort()))
                .attribute(DESTINATION_PORT, twoBytes(original.destinationPort()))
                .end(ports);
        if (original.zone() != 0) {
            request.attribute(TUPLE_ZONE, twoBytes(original.zone()));
        }
        request.end(tuple);
    }

    /** The flow of an entry. Null if a part is missing, as in an entry that is just ending. */
    static @Nullable ConntrackFlow read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(HEADER_BYTES);
        NetlinkAttributes originalTuple = attributes.nested(TUPLE_ORIGINAL);
        ConntrackFlow.Tuple original = tuple(originalTuple);
        ConntrackFlow.Tuple reply = tuple(attributes.nested(TUPLE_REPLY));
        byte[] id = attributes.bytes(ID);
        if (original == null || reply == null || id == null) {
            return null;
        }
        byte[] status = attributes.bytes(STATUS);
        boolean answered = status != null && (ByteBuffer.wrap(status).getInt() & SEEN_REPLY) != 0;
        int protocol = originalTuple.nested(TUPLE_PROTOCOL).number(PROTOCOL_NUMBER);
        return new ConntrackFlow(
                protocol,
                original,
                reply,
                twoBytes(attributes.bytes(ZONE)),
                ByteBuffer.wrap(id).getInt(),
                answered,
                progress(attributes));
    }

    private static FlowProgress progress(NetlinkAttributes entry) {
        byte[] state = entry.nested(PROTOCOL_INFO).nested(TCP_INFO).bytes(TCP_STATE);
        byte[] timeout = entry.bytes(TIMEOUT);
        NetlinkAttributes sent = entry.nested(ORIGINAL_COUNTERS);
        NetlinkAttributes returned = entry.nested(REPLY_COUNTERS);
        return new FlowProgress(
                state == null || state[0] >= TCP_STATES.size() ? "" : TCP_STATES.get(state[0]),
                count(sent, PACKETS) + count(returned, PACKETS),
                count(sent, BYTES) + count(returned, BYTES),
                timeout == null ? 0 : ByteBuffer.wrap(timeout).getInt());
    }

    private static long count(NetlinkAttributes counters, int type) {
        byte[] number = counters.bytes(type);
        return number == null ? 0 : ByteBuffer.wrap(number).getLong();
    }

    private static ConntrackFlow.@Nullable Tuple tuple(NetlinkAttributes tuple) {
        NetlinkAttributes ip = tuple.nested(TUPLE_IP);
        byte[] source = ip.bytes(ip.has(IPV4_SOURCE) ? IPV4_SOURCE : IPV6_SOURCE);
        byte[] destination = ip.bytes(ip.has(IPV4_DESTINATION) ? IPV4_DESTINATION : IPV6_DESTINATION);
        if (source == null || destination == null) {
            return null;
        }
        NetlinkAttributes ports = tuple.nested(TUPLE_PROTOCOL);
        return new ConntrackFlow.Tuple(
                IpAddress.of(source),
                IpAddress.of(destination),
                twoBytes(ports.bytes(SOURCE_PORT)),
                twoBytes(ports.bytes(DESTINATION_PORT)),
                twoBytes(tuple.bytes(TUPLE_ZONE)));
    }

    private static NetlinkRequest header(NetlinkRequest request, int family) {
        return request.putByte(family).putByte(0).putShort(0);
    }

    private static byte[] twoBytes(int number) {
        return new byte[] {(byte) (number >>> 8), (byte) number};
    }

    private static byte[] fourBytes(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static int twoBytes(byte @Nullable [] bytes) {
        return bytes == null ? 0 : ByteBuffer.wrap(bytes).getShort() & 0xFFFF;
    }
}
