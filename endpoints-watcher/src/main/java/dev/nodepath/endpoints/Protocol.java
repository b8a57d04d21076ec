package dev.nodepath.endpoints;

import java.util.Locale;

/** A transport protocol of a Service port. */
public enum Protocol {
    TCP,
    UDP,
    SCTP;

    private final String lowerCase = name().toLowerCase(Locale.ROOT);

    /** The name that iptables uses, and kube-proxy's chain hashes: lower case. */
    public String lowerCase() {
        return lowerCase;
    }
}
