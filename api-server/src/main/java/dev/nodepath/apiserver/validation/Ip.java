package dev.nodepath.apiserver.validation;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An IP address.
 *
 * @param value as a number
 * @param isIpv6 whether it has 128 bits, not 32
 */
public record Ip(BigInteger value, boolean isIpv6) implements Comparable<Ip> {
    private static final String OCTET = "(0|[1-9]\\d?|1\\d\\d|2[0-4]\\d|25[0-5])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:]*:[0-9a-fA-F:]*(:\\d+\\.\\d+\\.\\d+\\.\\d+)?");
    /** {@code ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255}. To match a longer text may take hours. */
    private static final int LENGTH_MAX = 45;

    private static final int IPV6_BYTES = 16;
    private static final int GROUPS = 8;

    /** Reads an address as Kubernetes does: no leading zeros, no zone. */
    public static Optional<Ip> parse(String text) {
        boolean ipv4 = IPV4.matcher(text).matches();
        if (text.length() > LENGTH_MAX || (!ipv4 && !IPV6.matcher(text).matches())) {
            return Optional.empty();
        }
        try {
            byte[] bytes = InetAddress.getByName(text).getAddress(); // a literal: no name is looked up
            return ipv4 == (bytes.length < IPV6_BYTES)
                    ? Optional.of(new Ip(new BigInteger(1, bytes), !ipv4))
                    : Optional.empty();
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** The name of the family: {@code IPv4} or {@code IPv6}. */
    public String family() {
        return isIpv6 ? "IPv6" : "IPv4";
    }

    /** The address that follows by this number. */
    public Ip plus(BigInteger offset) {
        return new Ip(value.add(offset), isIpv6);
    }

    @Override
    public int compareTo(Ip other) {
        return isIpv6 == other.isIpv6 ? value.compareTo(other.value) : Boolean.compare(isIpv6, other.isIpv6);
    }

    /** In the canonical form: RFC 5952. */
    @Override
    public String toString() {
        if (!isIpv6) {
            int number = value.intValue();
            return (number >>> 24) + "." + (number >>> 16 & 255) + "." + (number >>> 8 & 255) + "." + (number & 255);
        }
        int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = value.shiftRight(16 * (GROUPS - 1 - i)).intValue() & 0xffff;
        }
        return compressed(groups);
    }

    /** The longest run of two or more zero groups becomes two colons. */
    private static String compressed(int[] groups) {
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++) {
            int end = i;
            while (end < GROUPS && groups[end] == 0) {
                end++;
            }
            if (end - i > length) {
                start = i;
                length = end - i;
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                text.append(text.isEmpty() || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
    }
}
