package dev.nodepath.endpoints;

import java.util.Locale;

/** A transport protocol of a Service port. */
public enum Protocol {
    TCP(6),
    UDP(17),
    SCTP(132);

    private final int number;
    private final String lowerCase = name().toLowerCase(Locale.ROOT);

    Protocol(int number) {
        this.number = number;
    }

    /** The protocol's number in an IP header (IANA, Protocol Numbers). */
    public int number() {
        return number;
    }

    /** The name that iptables uses, and kube-proxy's chain hashes: lower case. */
    public String lowerCase() {
        return lowerCase;
    }
}
