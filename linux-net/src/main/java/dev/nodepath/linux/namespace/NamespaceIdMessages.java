package dev.nodepath.linux.namespace;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.util.OptionalInt;

/**
 * The numbers under which a namespace knows others ({@code linux/net_namespace.h}). The kernel gives one when a link that is
 * read has its peer there.
 */
final class NamespaceIdMessages {
    private static final int GETNSID = 90;
    private static final int RTGENMSG_BYTES = 4;
    private static final int NETNSA_NSID = 1;
    private static final int NETNSA_FD = 3;
    private static final int IFINFOMSG_BYTES = 16;
    private static final int IFLA_LINK_NETNSID = 37;

    private NamespaceIdMessages() {}

    /** Asks for the number of the namespace that a descriptor stands for. */
    static NetlinkRequest find(int fd) {
        return NetlinkRequest.acknowledged(GETNSID, 0).putInt(0).attribute(NETNSA_FD, fd);
    }

    /** The number in the answer, -1 if it has none ({@code NETNSA_NSID_NOT_ASSIGNED}). */
    static int read(NetlinkMessage answer) {
        return answer.attributes(RTGENMSG_BYTES).number(NETNSA_NSID);
    }

    /** The number of the namespace that has a link's peer; empty if that is the link's own. */
    static OptionalInt ofPeer(NetlinkMessage link) {
        var attributes = link.attributes(IFINFOMSG_BYTES);
        return attributes.has(IFLA_LINK_NETNSID)
                ? OptionalInt.of(attributes.number(IFLA_LINK_NETNSID))
                : OptionalInt.empty();
    }
}
