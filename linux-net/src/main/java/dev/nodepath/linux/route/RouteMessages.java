package dev.nodepath.linux.route;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Builds requests about routes of the main table, and reads routes from replies ({@code
 * include/uapi/linux/rtnetlink.h}).
 */
final class RouteMessages {
    static final int NEWROUTE = 24;
    static final int DELROUTE = 25;
    private static final int GETROUTE = 26;

    private static final int RTMSG_BYTES = 12;
    private static final int TABLE_MAIN = 254;
    private static final int TABLE_UNSPEC = 0;
    private static final int TABLE_BYTE_MAX = 255;
    private static final int PROTOCOL_STATIC = 4;
    private static final int SCOPE_UNIVERSE = 0;
    private static final int SCOPE_LINK = 253;
    private static final int SCOPE_NOWHERE = 255;
    private static final int TYPE_UNICAST = 1;
    private static final int FLAG_ONLINK = 0x4;
    private static final int FLAG_CLONED = 0x200;
    private static final int FLAG_FIB_MATCH = 0x2000;

    private static final int RTA_DST = 1;
    static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_PRIORITY = 6;
    private static final int RTA_METRICS = 8;
    private static final int RTAX_MTU = 2;
    private static final int RTAX_ADVMSS = 8;
    private static final int RTA_MULTIPATH = 9;
    private static final int RTA_TABLE = 15;
    private static final int RTA_VIA = 18;
    private static final int RTNEXTHOP_BYTES = 8;

    private RouteMessages() {}

    /**
     * Describes a change in words, for errors. EINVAL if the gateway is of another family: the kernel would misread it.
     */
    static String describe(String verb, Route route) throws LinuxNetException {
        String operation = verb + " " + route.destination()
                + (route.gateway().isPresent() ? " via " + route.gateway().get() : "")
                + (route.linkIndex() == 0 ? "" : " on link " + route.linkIndex());
        IpFamily family = route.destination().family();
        if (route.gateway().isPresent() && route.gateway().get().family() != family) {
            throw new LinuxNetException(operation, Errno.EINVAL.number(), "gateway is no " + family + " address");
        }
        return operation;
    }

    static NetlinkRequest list(IpFamily family) {
        return header(NetlinkRequest.dump(GETROUTE), family, 0, 0, 0, 0, 0, 0);
    }

    /** Adds a route, even if there are others to the same destination (no {@code NLM_F_EXCL}). */
    static NetlinkRequest add(Route route, RouteOptions options) {
        return put(route, options, NetlinkRequest.CREATE);
    }

    static NetlinkRequest addIfAbsent(Route route, RouteOptions options) {
        return put(route, options, NetlinkRequest.CREATE | NetlinkRequest.EXCL);
    }

    static NetlinkRequest replace(Route route, RouteOptions options) {
        return put(route, options, NetlinkRequest.CREATE | NetlinkRequest.REPLACE);
    }

    private static NetlinkRequest put(Route route, RouteOptions options, int requestFlags) {
        int table = options.table().orElse(TABLE_MAIN);
        NetlinkRequest request = NetlinkRequest.acknowledged(NEWROUTE, requestFlags);
        body(
                request,
                route,
                table > TABLE_BYTE_MAX ? TABLE_UNSPEC : table,
                options.protocol().orElse(PROTOCOL_STATIC),
                options.scope().orElse(scope(route)),
                options.onLink() ? FLAG_ONLINK : 0);
        if (table > TABLE_BYTE_MAX) {
            request.attribute(RTA_TABLE, table);
        }
        if (options.priority().isPresent()) {
            request.attribute(RTA_PRIORITY, options.priority().get().intValue());
        }
        if (options.mtu().isPresent() || options.advmss().isPresent()) {
            int metrics = request.begin(RTA_METRICS);
            if (options.mtu().isPresent()) {
                request.attribute(RTAX_MTU, options.mtu().get().intValue());
            }
            if (options.advmss().isPresent()) {
                request.attribute(RTAX_ADVMSS, options.advmss().get().intValue());
            }
            request.end(metrics);
        }
        return request;
    }

    /**
     * Asks which route a packet would take. The answer is the entry of the table, not the route derived for this
     * address.
     */
    static NetlinkRequest lookUp(IpAddress destination) {
        return NetlinkRequest.question(GETROUTE)
                .putByte(destination.family().addressFamily())
                .putByte(destination.family().bits())
                .putShort(0)
                .putInt(0)
                .putInt(FLAG_FIB_MATCH)
                .attribute(RTA_DST, destination.toBytes());
    }

    /**
     * Deletes a route; protocol and metric must match too, if they are given. An absent link or gateway matches any,
     * and so do scope "nowhere" and protocol 0.
     */
    static NetlinkRequest delete(Route route, RouteOptions options) {
        int protocol = options.protocol().orElse(0);
        NetlinkRequest request =
                body(NetlinkRequest.acknowledged(DELROUTE, 0), route, TABLE_MAIN, protocol, SCOPE_NOWHERE, 0);
        if (options.priority().isPresent()) {
            request.attribute(RTA_PRIORITY, options.priority().get().intValue());
        }
        return request;
    }

    private static int scope(Route route) {
        boolean onLink =
                route.destination().family() == IpFamily.IPV4 && route.gateway().isEmpty();
        return onLink ? SCOPE_LINK : SCOPE_UNIVERSE;
    }

    /** Reads the routes of a message: one for each next hop. Empty if it is no unicast route of the main table. */
    static List<Route> read(NetlinkMessage message, IpFamily family) {
        return readListed(message, family).stream().map(ListedRoute::route).toList();
    }

    /** Reads the routes of a message with their options. */
    static List<ListedRoute> readListed(NetlinkMessage message, IpFamily family) {
        NetlinkAttributes attributes = message.attributes(RTMSG_BYTES);
        ByteBuffer header = message.payload();
        int table = attributes.has(RTA_TABLE) ? attributes.number(RTA_TABLE) : header.get(4) & 0xFF;
        boolean wanted = header.get(0) == family.addressFamily()
                && table == TABLE_MAIN
                && header.get(7) == TYPE_UNICAST
                && (header.getInt(8) & FLAG_CLONED) == 0;
        if (!wanted) {
            return List.of();
        }
        byte[] prefix = attributes.bytes(RTA_DST);
        IpAddress address = IpAddress.of(prefix == null ? new byte[family.bits() / 8] : prefix);
        Cidr destination = new Cidr(address, header.get(1) & 0xFF);
        byte[] hops = attributes.bytes(RTA_MULTIPATH);
        if (hops != null) {
            return readHops(destination, ByteBuffer.wrap(hops).order(ByteOrder.nativeOrder()), header, attributes);
        }
        Route route = new Route(destination, gateway(attributes), attributes.number(RTA_OIF));
        return List.of(new ListedRoute(route, options(header, attributes, header.getInt(8))));
    }

    /** {@code struct rtnexthop} for each hop: length, flags, weight, link, then attributes. */
    private static List<ListedRoute> readHops(
            Cidr destination, ByteBuffer hops, ByteBuffer header, NetlinkAttributes shared) {
        List<ListedRoute> routes = new ArrayList<>();
        while (hops.remaining() >= RTNEXTHOP_BYTES) {
            int start = hops.position();
            int length = hops.getShort(start) & 0xFFFF;
            if (length < RTNEXTHOP_BYTES || length > hops.remaining()) {
                throw new IllegalArgumentException(
                        "length of next hop: " + length + " (expected: 8 to " + hops.remaining() + ")");
            }
            NetlinkAttributes attributes =
                    NetlinkAttributes.parse(hops.slice(start + RTNEXTHOP_BYTES, length - RTNEXTHOP_BYTES));
            Route route = new Route(destination, gateway(attributes), hops.getInt(start + 4));
            routes.add(new ListedRoute(route, options(header, shared, hops.get(start + 2))));
            hops.position(start + Math.min(hops.remaining(), NetlinkAttributes.aligned(length)));
        }
        return routes;
    }

    private static RouteOptions options(ByteBuffer header, NetlinkAttributes attributes, int flags) {
        NetlinkAttributes metrics = attributes.nested(RTA_METRICS);
        return new RouteOptions(
                given(metrics.number(RTAX_MTU)),
                given(metrics.number(RTAX_ADVMSS)),
                given(attributes.number(RTA_PRIORITY)),
                Optional.empty(),
                Optional.empty(),
                Optional.of(header.get(5) & 0xFF),
                (flags & FLAG_ONLINK) != 0);
    }

    private static Optional<Integer> given(int number) {
        return number == 0 ? Optional.empty() : Optional.of(number);
    }

    /** Reads the next hop. An IPv4 route may have an IPv6 next hop (RFC 5549); its family then comes first. */
    private static Optional<IpAddress> gateway(NetlinkAttributes attributes) {
        byte[] gateway = attributes.bytes(RTA_GATEWAY);
        if (gateway != null) {
            return Optional.of(IpAddress.of(gateway));
        }
        byte[] via = attributes.bytes(RTA_VIA);
        return via == null ? Optional.empty() : Optional.of(IpAddress.of(Arrays.copyOfRange(via, 2, via.length)));
    }

    private static NetlinkRequest body(
            NetlinkRequest request, Route route, int table, int protocol, int scope, int flags) {
        Cidr destination = route.destination();
        header(request, destination.family(), destination.prefixLength(), table, protocol, scope, TYPE_UNICAST, flags);
        if (destination.prefixLength() > 0) {
            request.attribute(RTA_DST, destination.address().toBytes());
        }
        if (route.gateway().isPresent()) {
            request.attribute(RTA_GATEWAY, route.gateway().get().toBytes());
        }
        if (route.linkIndex() != 0) {
            request.attribute(RTA_OIF, route.linkIndex());
        }
        return request;
    }

    /** {@code struct rtmsg}. */
    /** Writes a {@code struct rtmsg}. */
    static NetlinkRequest header(
            NetlinkRequest request,
            IpFamily family,
            int prefixLength,
            int table,
            int protocol,
            int scope,
            int type,
            int flags) {
        return request.putByte(family.addressFamily())
                .putByte(prefixLength)
                .putByte(0)
                .putByte(0)
                .putByte(table)
                .putByte(protocol)
                .putByte(scope)
                .putByte(type)
                .putInt(flags);
    }
}
