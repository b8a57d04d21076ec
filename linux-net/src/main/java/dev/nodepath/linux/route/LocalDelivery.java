package dev.nodepath.linux.route;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkSocket;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Delivers marked packets to this host, whatever their destination is: a rule of policy routing leads them to a table of
 * its own, whose only route is local. What {@code ip rule add fwmark MARK/MARK lookup TABLE} and {@code ip route add
 * local default dev lo table TABLE} do ({@code include/uapi/linux/fib_rules.h}, {@code rtnetlink.h}).
 */
public final class LocalDelivery implements AutoCloseable {
    private static final int NEWRULE = 32;
    private static final int DELRULE = 33;

    private static final int TYPE_LOCAL = 2;
    private static final int SCOPE_HOST = 254;
    private static final int LOOPBACK_INDEX = 1;

    private static final int FRA_PRIORITY = 6;
    private static final int FRA_FWMARK = 10;
    private static final int FRA_FWMASK = 16;
    private static final int FRA_PROTOCOL = 21;
    /** {@code FR_ACT_TO_TBL}. */
    private static final int LOOK_UP = 1;

    /** How the kernel says that there is nothing to delete. */
    private static final Set<Errno> NONE = EnumSet.of(Errno.ENOENT, Errno.ESRCH, Errno.EAFNOSUPPORT, Errno.EOPNOTSUPP);

    private final NetlinkSocket socket;

    private LocalDelivery(NetlinkSocket socket) {
        this.socket = socket;
    }

    /**
     * Opens the routing of the namespace that the calling thread is in; any thread may use it then.
     *
     * @throws LinuxNetException if there is no netlink socket to be had
     */
    public static LocalDelivery open(Syscalls syscalls) throws LinuxNetException {
        return new LocalDelivery(NetlinkSocket.open(syscalls, NetlinkSocket.ROUTE));
    }

    /**
     * What is delivered.
     *
     * @param mark the bits that packets have
     * @param table the routing table, 1 to 252; nothing else may be in it
     * @param priority of the rule; lower ones come first
     * @param protocol who made rule and route, as their listings show it
     */
    public record Marked(int mark, int table, int priority, int protocol) {}

    /** Delivers such packets from now on. It changes nothing if they are delivered already. */
    public void start(IpFamily family, Marked packets) throws LinuxNetException {
        // The rule first: a kernel without such rules would put the route into its only table.
        exchange("add rule for " + packets, rule(NEWRULE, family, packets), Set.of(Errno.EEXIST));
        try {
            exchange(
                    "add local route to " + packets,
                    route(RouteMessages.NEWROUTE, family, packets),
                    Set.of(Errno.EEXIST));
        } catch (LinuxNetException e) {
            stop(family, packets);
            throw e;
        }
    }

    /** Ends it. It changes nothing if they are not delivered, or if the kernel has no such family or rules. */
    public void stop(IpFamily family, Marked packets) throws LinuxNetException {
        try {
            exchange("delete rule for " + packets, rule(DELRULE, family, packets), NONE);
        } finally {
            exchange("delete local route to " + packets, route(RouteMessages.DELROUTE, family, packets), NONE);
        }
    }

    private static NetlinkRequest route(int type, IpFamily family, Marked packets) {
        return header(type, family, packets.table(), packets.protocol(), SCOPE_HOST, TYPE_LOCAL)
                .attribute(RouteMessages.RTA_OIF, LOOPBACK_INDEX);
    }

    private static NetlinkRequest rule(int type, IpFamily family, Marked packets) {
        return header(type, family, packets.table(), 0, 0, LOOK_UP)
                .attribute(FRA_PRIORITY, packets.priority())
                .attribute(FRA_FWMARK, packets.mark())
                .attribute(FRA_FWMASK, packets.mark())
                .byteAttribute(FRA_PROTOCOL, packets.protocol());
    }

    /** {@code struct rtmsg} and {@code struct fib_rule_hdr} differ in the names of two bytes that a rule leaves 0. */
    private static NetlinkRequest header(
            int type, IpFamily family, int table, int protocol, int scope, int typeOrAction) {
        int flags = type == RouteMessages.NEWROUTE || type == NEWRULE ? NetlinkRequest.CREATE | NetlinkRequest.EXCL : 0;
        NetlinkRequest request = NetlinkRequest.acknowledged(type, flags);
        return RouteMessages.header(request, family, 0, table, protocol, scope, typeOrAction, 0);
    }

    private void exchange(String operation, NetlinkRequest request, Set<Errno> accepted) throws LinuxNetException {
        try {
            List<NetlinkMessage> unused = socket.exchange(operation, request);
        } catch (LinuxNetException e) {
            if (!accepted.contains(e.errno())) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
