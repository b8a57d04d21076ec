package dev.nodepath.linux.link;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Requests about addresses, and how an address is read ({@code include/uapi/linux/if_addr.h}). */
final class AddressMessages {
    private static final int NEWADDR = 20;
    private static final int DELADDR = 21;
    private static final int GETADDR = 22;

    private static final int IFADDRMSG_BYTES = 8;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int IFA_BROADCAST = 4;
    private static final int IFA_FLAGS = 8;
    private static final int IFA_PROTO = 11;
    private static final int FLAG_NODAD = 0x02;
    private static final int FLAG_DADFAILED = 0x08;
    private static final int FLAG_TENTATIVE = 0x40;
    private static final int SCOPE_UNIVERSE = 0;
    private static final int SCOPE_HOST = 254;
    /** A longer IPv4 prefix has no broadcast address (RFC 3021). */
    private static final int BROADCAST_PREFIX_MAX = 30;

    private AddressMessages() {}

    /** Lists the addresses of a link; of all links if the index is 0. */
    static NetlinkRequest list(int index) {
        return NetlinkRequest.dump(GETADDR)
                .putByte(0)
                .putByte(0)
                .putByte(0)
                .putByte(0)
                .putInt(index);
    }

    static NetlinkRequest add(int index, Cidr address, AddressOptions options) {
        NetlinkRequest request = NetlinkRequest.acknowledged(NEWADDR, NetlinkRequest.CREATE | NetlinkRequest.EXCL);
        body(request, index, address, options.duplicateDetection());
        if (address.family() == IpFamily.IPV4 && address.prefixLength() <= BROADCAST_PREFIX_MAX) {
            request.attribute(IFA_BROADCAST, address.last().toBytes());
        }
        if (options.protocol() != 0) {
            request.byteAttribute(IFA_PROTO, options.protocol());
        }
        return request;
    }

    static NetlinkRequest delete(int index, Cidr address) {
        return body(NetlinkRequest.acknowledged(DELADDR, 0), index, address, false);
    }

    /** An address; null if it is of a family that is neither IPv4 nor IPv6. */
    static @Nullable InterfaceAddress read(NetlinkMessage message) {
        NetlinkAttributes attributes = message.attributes(IFADDRMSG_BYTES);
        ByteBuffer header = message.payload();
        int family = header.get(0);
        // On a point-to-point link IFA_ADDRESS is the other side's.
        byte[] bytes = attributes.bytes(attributes.has(IFA_LOCAL) ? IFA_LOCAL : IFA_ADDRESS);
        boolean known = family == IpFamily.IPV4.addressFamily() || family == IpFamily.IPV6.addressFamily();
        if (!known || bytes == null) {
            return null;
        }
        int flags = attributes.has(IFA_FLAGS) ? attributes.number(IFA_FLAGS) : header.get(2) & 0xFF;
        return new InterfaceAddress(
                header.getInt(4),
                new Cidr(IpAddress.of(bytes), header.get(1) & 0xFF),
                (flags & FLAG_TENTATIVE) != 0,
                (flags & FLAG_DADFAILED) != 0,
                attributes.number(IFA_PROTO));
    }

    /** {@code struct ifaddrmsg} and the address, as {@code IFA_LOCAL} and as {@code IFA_ADDRESS}. */
    private static NetlinkRequest body(NetlinkRequest request, int index, Cidr address, boolean duplicateDetection) {
        boolean ipv4 = address.family() == IpFamily.IPV4;
        byte[] bytes = address.address().toBytes();
        return request.putByte(address.family().addressFamily())
                .putByte(address.prefixLength())
                .putByte(ipv4 || duplicateDetection ? 0 : FLAG_NODAD)
                .putByte(ipv4 && address.address().isLoopback() ? SCOPE_HOST : SCOPE_UNIVERSE)
                .putInt(index)
                .attribute(IFA_LOCAL, bytes)
                .attribute(IFA_ADDRESS, bytes);
    }
}
