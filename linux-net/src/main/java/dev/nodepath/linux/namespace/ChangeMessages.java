package dev.nodepath.linux.namespace;

import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Parses notifications ({@code RTM_*} and {@code RTNLGRP_*} of {@code include/uapi/linux/rtnetlink.h}). */
final class ChangeMessages {
    /** RTNLGRP_LINK, _NEIGH, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE. */
    private static final int[] GROUPS = {1, 3, 5, 7, 9, 11};

    private static final int NEWLINK = 16;
    private static final int DELLINK = 17;
    private static final int NEWADDR = 20;
    private static final int DELADDR = 21;
    private static final int NEWROUTE = 24;
    private static final int DELROUTE = 25;
    private static final int NEWNEIGH = 28;
    private static final int DELNEIGH = 29;

    private static final int RTMSG_BYTES = 12;
    private static final int TABLE_MAIN = 254;
    private static final int TYPE_UNICAST = 1;
    private static final int RTA_OIF = 4;
    private static final int SCOPE_LINK = 253;

    private ChangeMessages() {}

    /** The multicast groups of all changes that can be parsed. */
    public static int[] groups() {
        return GROUPS.clone();
    }

    /** The change in a message; null if it is of another kind. */
    static @Nullable NetworkChange read(NetlinkMessage message) {
        ByteBuffer header = message.payload();
        return switch (message.type()) {
            case NEWLINK, DELLINK ->
                new NetworkChange(NetworkChange.Kind.LINK, message.type() == DELLINK, header.getInt(4), 0);
            case NEWADDR, DELADDR ->
                (header.get(3) & 0xFF) == SCOPE_LINK
                        ? null
                        : new NetworkChange(NetworkChange.Kind.ADDRESS, message.type() == DELADDR, header.getInt(4), 0);
            case NEWROUTE, DELROUTE -> route(message, header);
            case NEWNEIGH, DELNEIGH ->
                new NetworkChange(NetworkChange.Kind.NEIGHBOUR, message.type() == DELNEIGH, header.getInt(4), 0);
            default -> null;
        };
    }

    private static @Nullable NetworkChange route(NetlinkMessage message, ByteBuffer header) {
        boolean wanted = (header.get(4) & 0xFF) == TABLE_MAIN && header.get(7) == TYPE_UNICAST;
        if (!wanted) {
            return null;
        }
        int link = message.attributes(RTMSG_BYTES).number(RTA_OIF);
        return new NetworkChange(NetworkChange.Kind.ROUTE, message.type() == DELROUTE, link, header.get(5) & 0xFF);
    }
}
