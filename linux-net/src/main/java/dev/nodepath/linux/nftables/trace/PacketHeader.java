package dev.nodepath.linux.nftables.trace;

import dev.nodepath.linux.address.IpAddress;

/**
 * Where a packet comes from and goes to.
 *
 * @param protocol of the transport, as in the IP header
 * @param source with
 * @param sourcePort 0 if the protocol has none
 * @param destination with
 * @param destinationPort likewise
 */
public record PacketHeader(
        int protocol, IpAddress source, int sourcePort, IpAddress destination, int destinationPort) {}
