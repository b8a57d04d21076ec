package dev.nodepath.linux.namespace;

import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;

/** Opens netlink sockets inside a namespace. */
public final class NamespaceSockets {
    private NamespaceSockets() {}

    /** A socket for questions and changes. */
    public static NetlinkSocket open(Syscalls syscalls, NamespaceFile file, int protocol) throws LinuxNetException {
        return file.inside(() -> NetlinkSocket.open(syscalls, protocol));
    }

    /** A socket that gets the announcements of these groups. */
    public static NetlinkSocket openGroups(Syscalls syscalls, NamespaceFile file, int protocol, int... groups)
            throws LinuxNetException {
        return file.inside(() -> NetlinkSocket.openGroups(syscalls, protocol, groups));
    }
}
