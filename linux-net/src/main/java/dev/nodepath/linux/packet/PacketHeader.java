package dev.nodepath.linux.packet;

import dev.nodepath.linux.address.IpAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Source and destination of a packet.
 *
 * @param protocol of the transport, as in the IP header
 * @param source with
 * @param sourcePort 0 if the protocol has none
 * @param destination with
 * @param destinationPort likewise
 */
public record PacketHeader(int protocol, IpAddress source, int sourcePort, IpAddress destination, int destinationPort) {
    private static final int VERSION_4 = 4;
    private static final int VERSION_6 = 6;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int PORTS_BYTES = 4;

    /**
     * Reads the headers of a packet.
     *
     * @param network from the IP header on
     * @param transport from the transport's header on; ports that are not there count as 0
     * @return empty if it is no IP packet, or too short
     */
    public static Optional<PacketHeader> read(byte[] network, byte[] transport) {
        if (network.length == 0) {
            return Optional.empty();
        }
        int version = (network[0] & 0xFF) >> 4;
        if (version == VERSION_4 && network.length >= IPV4_BYTES) {
            return Optional.of(read(network[9], Arrays.copyOfRange(network, 12, 20), transport));
        }
        return version == VERSION_6 && network.length >= IPV6_BYTES
                ? Optional.of(read(network[6], Arrays.copyOfRange(network, 8, 40), transport))
                : Optional.empty();
    }

    /** In both versions the two addresses are adjacent. */
    private static PacketHeader read(byte protocol, byte[] addresses, byte[] transport) {
        int half = addresses.length / 2;
        ByteBuffer ports = ByteBuffer.wrap(transport.length < PORTS_BYTES ? new byte[PORTS_BYTES] : transport);
        return new PacketHeader(
                protocol & 0xFF,
                IpAddress.of(Arrays.copyOf(addresses, half)),
                ports.getShort(0) & 0xFFFF,
                IpAddress.of(Arrays.copyOfRange(addresses, half, addresses.length)),
                ports.getShort(2) & 0xFFFF);
    }

    /**
     * Reads a whole packet. A packet of IPv6 with extension headers has no ports for us.
     *
     * @param packet from the IP header on
     * @return empty if it is no IP packet, or too short
     */
    public static Optional<PacketHeader> read(byte[] packet) {
        return read(packet, Arrays.copyOfRange(packet, Math.min(headerBytes(packet), packet.length), packet.length));
    }

    /** The length of the IP header. */
    static int headerBytes(byte[] packet) {
        boolean version4 = packet.length > 0 && (packet[0] & 0xFF) >> 4 == VERSION_4;
        return version4 ? (packet[0] & 0x0F) * 4 : IPV6_BYTES;
    }
}
