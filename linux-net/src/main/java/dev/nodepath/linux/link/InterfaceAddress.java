package dev.nodepath.linux.link;

import dev.nodepath.linux.address.Cidr;

/**
 * An address of a link.
 *
 * @param linkIndex the link's index
 * @param address with the prefix length of its network
 * @param tentative whether duplicate address detection still runs, so that it cannot be used yet (IPv6)
 * @param duplicate whether that detection found another owner
 * @param protocol the program that added it, see {@link AddressOptions#protocol}
 */
public record InterfaceAddress(int linkIndex, Cidr address, boolean tentative, boolean duplicate, int protocol) {}
