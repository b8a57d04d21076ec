package dev.nodepath.cni;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/** Frames as a raw socket sends them, byte by byte. */
final class Frames {
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86DD;
    static final int ARP = 0x0806;

    static final int UDP = 17;
    static final int ICMPV6 = 58;
    static final int SOLICITATION = 135;
    static final int ADVERTISEMENT = 136;

    private Frames() {}

    /** A frame; each tag is a VLAN's type and number in four bytes. */
    static byte[] frame(MacAddress to, MacAddress from, int type, byte[] payload, int... tags) {
        ByteBuffer bytes = ByteBuffer.allocate(14 + 4 * tags.length + payload.length);
        bytes.put(to.toBytes()).put(from.toBytes());
        for (int tag : tags) {
            bytes.putInt(tag);
        }
        return bytes.putShort((short) type).put(payload).array();
    }

    /** A UDP datagram without data from port 9 to port 9; {@code fragment} is the field of flags and offset. */
    static byte[] ipv4(IpAddress from, IpAddress to, int fragment) {
        ByteBuffer bytes = ByteBuffer.allocate(28);
        bytes.putInt(0x4500_001C).putShort((short) 1).putShort((short) fragment);
        bytes.put((byte) 64).put((byte) UDP).putShort((short) 0);
        bytes.put(from.toBytes()).put(to.toBytes());
        int sum = 0;
        for (int i = 0; i < 20; i += 2) {
            sum += bytes.getShort(i) & 0xFFFF;
        }
        bytes.putShort(10, (short) ~(sum + (sum >>> 16)));
        return bytes.putShort((short) 9).putShort((short) 9).putInt(0x0008_0000).array();
    }

    /** A packet with content of a protocol. */
    static byte[] ipv6(IpAddress from, IpAddress to, int protocol, byte[] content) {
        ByteBuffer bytes = ByteBuffer.allocate(40 + content.length);
        bytes.putInt(6 << 28)
                .putShort((short) content.length)
                .put((byte) protocol)
                .put((byte) 255);
        return bytes.put(from.toBytes()).put(to.toBytes()).put(content).array();
    }

    /** A packet with a hop-by-hop header of eight bytes before its content. */
    static byte[] ipv6WithOption(IpAddress from, IpAddress to, int protocol, byte[] content) {
        return ipv6(from, to, 0, join(new byte[] {(byte) protocol, 0, 1, 4, 0, 0, 0, 0}, content));
    }

    /** A neighbour solicitation or advertisement with its checksum for these addresses, and options. */
    static byte[] neighbour(int type, IpAddress from, IpAddress to, IpAddress target, byte[] options) {
        ByteBuffer message = ByteBuffer.allocate(24 + options.length);
        message.put((byte) type).put((byte) 0).putShort((short) 0);
        message.putInt(type == ADVERTISEMENT ? 0x2000_0000 : 0)
                .put(target.toBytes())
                .put(options);
        ByteBuffer summed = ByteBuffer.wrap(join(
                from.toBytes(),
                to.toBytes(),
                ByteBuffer.allocate(8).putInt(message.capacity()).putInt(ICMPV6).array(),
                message.array()));
        int sum = 0;
        for (int i = 0; i < summed.capacity(); i += 2) {
            sum += summed.getShort(i) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        message.putShort(2, (short) ~(sum + (sum >>> 16)));
        return message.array();
    }

    /** The option with a hardware address: of the source (1) or of the target (2). */
    static byte[] option(int type, MacAddress mac) {
        return join(new byte[] {(byte) type, 1}, mac.toBytes());
    }

    /** A request (1) or a reply (2). */
    static byte[] arp(int operation, MacAddress senderMac, IpAddress sender, MacAddress targetMac, IpAddress target) {
        return join(
                new byte[] {0, 1, 8, 0, 6, 4, 0, (byte) operation},
                senderMac.toBytes(),
                sender.toBytes(),
                targetMac.toBytes(),
                target.toBytes());
    }

    static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    /** A program of Perl that sends frames, each in hexadecimal digits, through the link of an index. */
    static String[] sender(int link, byte[]... frames) {
        String[] command = new String[frames.length + 4];
        command[0] = "perl";
        command[1] = "-e";
        command[2] = "socket(my $s, 17, 3, 0) or die \"socket: $!\"; my $link = shift;"
                + "for (@ARGV) { my $frame = pack('H*', $_);"
                + "send($s, $frame, 0, pack('SnlSCCa8', 17, 0, $link, 0, 0, 6, substr($frame, 0, 6)))"
                + " or die \"send: $!\"; }";
        command[3] = String.valueOf(link);
        for (int i = 0; i < frames.length; i++) {
            command[i + 4] = HexFormat.of().formatHex(frames[i]);
        }
        return command;
    }
}
