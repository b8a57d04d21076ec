package dev.nodepath.endpoints.source;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;

/**
 * Reads addresses of old objects, with white space and leading zeros, such as {@code 172.30.0.041} and
 * {@code " 203.0.113.0/25"}. Kubernetes reads such numbers as decimal, other programs read them as octal. So the text
 * must never be passed on. The results print the canonical form.
 */
public final class PaddedAddress {
    private PaddedAddress() {}

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is none; the message holds the text
     */
    public static IpAddress ip(String text) {
        return IpAddress.parse(unpadded(text));
    }

    /**
     * Reads {@code ADDRESS/LENGTH}.
     *
     * @throws IllegalArgumentException if it is anything else; the message holds the text
     */
    public static Cidr cidr(String text) {
        return Cidr.parse(unpadded(text));
    }

    /** Removes the padding of an IPv4 address. IPv6 groups may have leading zeros, so they stay. */
    private static String unpadded(String text) {
        String stripped = text.strip();
        if (stripped.indexOf(':') >= 0) {
            return stripped;
        }
        StringBuilder kept = new StringBuilder(stripped.length());
        boolean leading = true;
        for (int i = 0; i < stripped.length(); i++) {
            char here = stripped.charAt(i);
            boolean padding = leading && here == '0' && i + 1 < stripped.length() && isDigit(stripped.charAt(i + 1));
            if (!padding) {
                kept.append(here);
                leading = !isDigit(here);
            }
        }
        return kept.length() == stripped.length() ? stripped : kept.toString();
    }

    /** Only ASCII digits count. */
    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
