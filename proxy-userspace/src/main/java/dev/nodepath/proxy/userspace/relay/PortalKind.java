package dev.nodepath.proxy.userspace.relay;

import java.util.Locale;

/** What leads the clients of Services to the relay. */
public enum PortalKind {
    /** {@link #NFTABLES} where the kernel accepts the table, else {@link #IPTABLES}. */
    AUTO,
    /** iptables rules, walked one by one by the first packet of a connection. */
    IPTABLES,
    /** A table of nf_tables, with a lookup whatever the number of Services. It needs Linux 5.13. */
    NFTABLES;

    /** The name on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
