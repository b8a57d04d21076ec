package dev.nodepath.linux;

/**
 * Between whom a datagram goes, both of one family.
 *
 * @param peer the address at the other end
 * @param peerPort 0 to 65535
 * @param peerLink the index of the link that a link-local peer is on; else 0
 * @param local the address at this end
 */
public record DatagramPath(IpAddress peer, int peerPort, int peerLink, IpAddress local) {}
