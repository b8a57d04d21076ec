package dev.nodepath.linux.iptables;

import java.util.Locale;

/** A table of iptables, in the order in which kube-proxy writes them. */
public enum Table {
    MANGLE,
    FILTER,
    NAT;

    /** The name that iptables uses. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
