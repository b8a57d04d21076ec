package dev.nodepath.linux.iptables;

import java.util.Locale;

/** The tables of iptables, in kube-proxy's order of writing. */
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
