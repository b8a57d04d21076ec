package dev.nodepath.linux.namespace;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;

/**
 * The numbers under which a namespace knows others ({@code linux/net_namespace.h}). The kernel gives one when a link that is
 * read has its peer there.
 */
final class NamespaceIdMessages {
    private static final int GETNSID = 90;
    private static final int RTGENMSG_BYTES = 4;
    private static final int NETNSA_NSID = 1;
    private static final int NETNSA_FD = 3;

    private NamespaceIdMessages() {}

    /** Asks for the number of a descriptor's namespace. */
    static NetlinkRequest find(int fd) {
        return NetlinkRequest.acknowledged(GETNSID, 0).putInt(0).attribute(NETNSA_FD, fd);
    }

    /** The number in the answer, -1 if it has none ({@code NETNSA_NSID_NOT_ASSIGNED}). */
    static int read(NetlinkMessage answer) {
        return answer.attributes(RTGENMSG_BYTES).number(NETNSA_NSID);
    }
}
