package dev.nodepath.linux.address;

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
    private static final int NONE = -1;
    private static final int IPV4_CHARS_MAX = "255.255.255.255".length();
    private static final int PORT_CHARS_MAX = ":65535".length();

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

    /** The address plus {@code offset}, wrapping around within the family. */
    public IpAddress plus(long offset) {
        if (family == IpFamily.IPV4) {
            return new IpAddress(family, 0, (low + offset) & IPV4_MASK);
        }
        long sum = low + offset;
        long carry = offset >= 0 ? (Long.compareUnsigned(sum, low) < 0 ? 1 : 0) : 0;
        long borrow = offset < 0 ? (Long.compareUnsigned(sum, low) > 0 ? 1 : 0) : 0;
        return new IpAddress(family, high + carry - borrow, sum);
    }

    /**
     * The IPv4 address in an IPv4-mapped IPv6 one, such as {@code ::ffff:10.1.2.3} (RFC 4291 section 2.5.5.2). Any
     * other address as it is.
     */
    public IpAddress unmapped() {
        boolean mapped = family == IpFamily.IPV6 && high == 0 && low >>> 32 == 0xFFFF;
        return mapped ? new IpAddress(IpFamily.IPV4, 0, low & IPV4_MASK) : this;
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

    /** Written by hand, like {@link #hashCode}: linking a record's generated method takes 30 ms at first use. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IpAddress that && family == that.family && high == that.high && low == that.low;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * family.bits() + Long.hashCode(high)) + Long.hashCode(low);
    }

    /** The address and a port as text. An IPv6 address is in brackets. */
    public String withPort(int port) {
        StringBuilder text = new StringBuilder(IPV4_CHARS_MAX + PORT_CHARS_MAX);
        appendTo(text, port);
        return text.toString();
    }

    /** Adds {@link #withPort} to a text. */
    public void appendTo(StringBuilder text, int port) {
        if (family == IpFamily.IPV4) {
            appendTo(text);
        } else {
            appendTo(text.append('['));
            text.append(']');
        }
        text.append(':').append(port);
    }

    /**
     * Adds the canonical text, see {@link #toString}, to a longer one: rules have hundreds of thousands of addresses.
     */
    public void appendTo(StringBuilder text) {
        if (family == IpFamily.IPV4) {
            text.append(low >>> 24).append('.').append((low >>> 16) & 0xFF);
            text.append('.').append((low >>> 8) & 0xFF).append('.').append(low & 0xFF);
        } else {
            text.append(ipv6Text());
        }
    }

    /** The canonical text: dotted decimal, or RFC 5952. */
    @Override
    public String toString() {
        if (family == IpFamily.IPV6) {
            return ipv6Text();
        }
        StringBuilder text = new StringBuilder();
        appendTo(text);
        return text.toString();
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
        long value = ipv4(text, 0);
        return value < 0 ? null : new IpAddress(IpFamily.IPV4, 0, value);
    }

    private static @Nullable IpAddress parseIpv6(String text) {
        int[] groups = new int[IPV6_GROUPS];
        int count = 0;
        int gap = text.startsWith("::") ? 0 : NONE;
        int at = gap == NONE ? 0 : 2;
        while (at < text.length()) {
            int colon = text.indexOf(':', at);
            int end = colon < 0 ? text.length() : colon;
            boolean dotted = colon < 0 && text.indexOf('.', at) >= 0;
            long value = dotted ? ipv4(text, at) : hex(text, at, end);
            if (value < 0 || count + (dotted ? 2 : 1) > IPV6_GROUPS) {
                return null;
            }
            if (dotted) {
                groups[count++] = (int) (value >>> 16);
            }
            groups[count++] = (int) value & 0xFFFF;
            at = end + 1;
            if (colon >= 0 && at == text.length()) {
                return null;
            }
            if (at < text.length() && text.charAt(at) == ':') {
                if (gap != NONE) {
                    return null;
                }
                gap = count;
                at++;
            }
        }
        if (gap == NONE ? count != IPV6_GROUPS : count >= IPV6_GROUPS) {
            return null;
        }
        int behind = gap == NONE ? 0 : count - gap;
        System.arraycopy(groups, count - behind, groups, IPV6_GROUPS - behind, behind);
        Arrays.fill(groups, count - behind, IPV6_GROUPS - behind, 0);
        return new IpAddress(IpFamily.IPV6, joined(groups, 0), joined(groups, IPV6_GROUPS / 2));
    }

    /** Four numbers up to 255 without leading zeros, from here to the end; {@link #NONE} if it is anything else. */
    private static long ipv4(String text, int from) {
        long value = 0;
        int dots = 0;
        int digits = 0;
        int part = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '.' && digits > 0 && dots < 3) {
                value = (value << 8) | part;
                dots++;
                digits = 0;
                part = 0;
            } else if (c >= '0' && c <= '9' && (digits == 0 || part > 0) && part * 10 + c - '0' <= 255) {
                part = part * 10 + c - '0';
                digits++;
            } else {
                return NONE;
            }
        }
        return dots == 3 && digits > 0 ? (value << 8) | part : NONE;
    }

    /** One to four hexadecimal digits; {@link #NONE} if it is anything else. */
    private static int hex(String text, int from, int to) {
        if (to == from || to - from > 4) {
            return NONE;
        }
        int value = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            // Character.digit accepts the digits of all scripts; an address has ASCII digits only.
            int digit = c < 128 ? Character.digit(c, 16) : NONE;
            if (digit < 0) {
                return NONE;
            }
            value = (value << 4) | digit;
        }
        return value;
    }

    private static long joined(int[] groups, int from) {
        long joined = 0;
        for (int i = from; i < from + IPV6_GROUPS / 2; i++) {
            joined = (joined << 16) | groups[i];
        }
        return joined;
    }
}
