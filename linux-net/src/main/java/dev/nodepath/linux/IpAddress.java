package dev.nodepath.linux;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An IPv4 or IPv6 address as a value: 16 bytes of state, no name, no scope. An IPv4 address keeps its 32 bits in
 * {@code low}. Ordered by family, then numerically.
 */
public record IpAddress(IpFamily family, long high, long low) implements Comparable<IpAddress> {
    private static final long IPV4_MASK = 0xFFFF_FFFFL;
    private static final int IPV6_GROUPS = 8;

    /** Checks that an IPv4 address has no bits beyond its 32. */
    public IpAddress {
        if (family == IpFamily.IPV4 && (high != 0 || (low & ~IPV4_MASK) != 0)) {
            throw new IllegalArgumentException("IPv4 address has more than 32 bits");
        }
    }

    /**
     * Reads the text form: dotted decimal without leading zeros, or RFC 4291 section 2.2.
     *
     * @throws IllegalArgumentException if it is not an address; the message holds the text
     */
    public static IpAddress parse(String text) {
        IpAddress address = text.indexOf(':') >= 0 ? parseIpv6(text) : parseIpv4(text);
        if (address == null) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: an IPv4 or IPv6 address)");
        }
        return address;
    }

    /** The address of 4 or 16 bytes in network order. */
    public static IpAddress of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return switch (bytes.length) {
            case 4 -> new IpAddress(IpFamily.IPV4, 0, buffer.getInt() & IPV4_MASK);
            case 16 -> new IpAddress(IpFamily.IPV6, buffer.getLong(), buffer.getLong());
            default -> throw new IllegalArgumentException(bytes.length + " address bytes (expected: 4 or 16)");
        };
    }

    /** The same address as the JDK sees it; an IPv4-mapped IPv6 address becomes IPv4. */
    public static IpAddress of(InetAddress address) {
        return of(address.getAddress());
    }

    /** The address in network order: 4 or 16 bytes. */
    public byte[] toBytes() {
        return family == IpFamily.IPV4
                ? ByteBuffer.allocate(4).putInt((int) low).array()
                : ByteBuffer.allocate(16).putLong(high).putLong(low).array();
    }

    /** The same address for the JDK's sockets. */
    public InetAddress toInetAddress() {
        try {
            return InetAddress.getByAddress(toBytes());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of 4 or 16 bytes was refused", e);
        }
    }

    /** The address {@code offset} further on, wrapping around within the family. */
    public IpAddress plus(long offset) {
        if (family == IpFamily.IPV4) {
            return new IpAddress(family, 0, (low + offset) & IPV4_MASK);
        }
        long sum = low + offset;
        long carry = offset >= 0 ? (Long.compareUnsigned(sum, low) < 0 ? 1 : 0) : 0;
        long borrow = offset < 0 ? (Long.compareUnsigned(sum, low) > 0 ? 1 : 0) : 0;
        return new IpAddress(family, high + carry - borrow, sum);
    }

    /** Whether this is an address of the loopback range: 127.0.0.0/8 or ::1. */
    public boolean isLoopback() {
        return family == IpFamily.IPV4 ? low >>> 24 == 127 : high == 0 && low == 1;
    }

    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    /** With the port behind it, an IPv6 address in brackets. */
    public String withPort(int port) {
        return family == IpFamily.IPV4 ? this + ":" + port : "[" + this + "]:" + port;
    }

    /** The canonical text: dotted decimal, or RFC 5952. */
    @Override
    public String toString() {
        return family == IpFamily.IPV4 ? ipv4Text() : ipv6Text();
    }

    private String ipv4Text() {
        return (low >>> 24) + "." + ((low >>> 16) & 0xFF) + "." + ((low >>> 8) & 0xFF) + "." + (low & 0xFF);
    }

    private String ipv6Text() {
        int[] groups = groups();
        int zerosFrom = -1;
        int zeros = 1;
        for (int i = 0; i < IPV6_GROUPS; i++) {
            int end = i;
            while (end < IPV6_GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > zeros) {
                zerosFrom = i;
                zeros = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < IPV6_GROUPS; i++) {
            if (i == zerosFrom) {
                text.append("::");
                i += zeros - 1;
                continue;
            }
            if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                text.append(':');
            }
            text.append(Integer.toHexString(groups[i]));
        }
        return text.toString();
    }

    private int[] groups() {
        int[] groups = new int[IPV6_GROUPS];
        for (int i = 0; i < IPV6_GROUPS; i++) {
            long half = i < 4 ? high : low;
            groups[i] = (int) (half >>> (16 * (3 - i % 4))) & 0xFFFF;
        }
        return groups;
    }

    private static @Nullable IpAddress parseIpv4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        long value = 0;
        for (String part : parts) {
            if (!part.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(part) > 255) {
                return null;
            }
            value = value << 8 | Integer.parseInt(part);
        }
        return new IpAddress(IpFamily.IPV4, 0, value);
    }

    private static @Nullable IpAddress parseIpv6(String text) {
        int gap = text.indexOf("::");
        if (gap >= 0 && text.indexOf("::", gap + 1) >= 0) {
            return null;
        }
        int[] head = parseGroups(gap < 0 ? text : text.substring(0, gap), gap < 0);
        int[] tail = parseGroups(gap < 0 ? "" : text.substring(gap + 2), true);
        if (head == null || tail == null) {
            return null;
        }
        int given = head.length + tail.length;
        if (gap < 0 ? given != IPV6_GROUPS : given >= IPV6_GROUPS) {
            return null;
        }
        int[] groups = Arrays.copyOf(head, IPV6_GROUPS);
        System.arraycopy(tail, 0, groups, IPV6_GROUPS - tail.length, tail.length);
        ByteBuffer bytes = ByteBuffer.allocate(16);
        for (int group : groups) {
            bytes.putShort((short) group);
        }
        return of(bytes.array());
    }

    /** The groups of one side of "::"; the last one may be a dotted IPv4 address if it ends the text. */
    private static int @Nullable [] parseGroups(String text, boolean endsAddress) {
        if (text.isEmpty()) {
            return new int[0];
        }
        String[] parts = text.split(":", -1);
        int[] groups = new int[parts.length + 1];
        int count = 0;
        for (int i = 0; i < parts.length; i++) {
            if (count >= IPV6_GROUPS) {
                return null;
            }
            boolean last = i == parts.length - 1;
            if (last && endsAddress && parts[i].indexOf('.') >= 0) {
                IpAddress embedded = parseIpv4(parts[i]);
                if (embedded == null) {
                    return null;
                }
                groups[count++] = (int) (embedded.low() >>> 16);
                groups[count++] = (int) (embedded.low() & 0xFFFF);
            } else if (parts[i].matches("[0-9a-fA-F]{1,4}")) {
                groups[count++] = Integer.parseInt(parts[i], 16);
            } else {
                return null;
            }
        }
        return Arrays.copyOf(groups, count);
    }
}
