package dev.nodepath.endpoints.source;

import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.util.regex.Pattern;

/**
 * Addresses as old objects of a cluster hold them: with white space around them and with leading zeros, such as {@code
 * 172.30.0.041} and {@code " 203.0.113.0/25"}. Kubernetes reads the zeros as decimal, other programs as octal, so such a
 * text must never be passed on; the values here print their one canonical form.
 */
public final class PaddedAddress {
    private static final Pattern LEADING_ZEROS = Pattern.compile("(?<![0-9])0+(?=[0-9])");

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

    /** Zeros of an IPv6 address stay: its groups may have them, and a group of {@code 0a} is no number. */
    private static String unpadded(String text) {
        String stripped = text.strip();
        return stripped.indexOf(':') >= 0
                ? stripped
                : LEADING_ZEROS.matcher(stripped).replaceAll("");
    }
}
