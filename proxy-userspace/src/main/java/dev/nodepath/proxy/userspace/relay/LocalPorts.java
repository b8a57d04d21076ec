package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local ports that connections to endpoints take. */
public final class LocalPorts {
    private static final Logger LOG = LoggerFactory.getLogger(LocalPorts.class);

    /** Of outgoing connections alone, and only where timestamps tell an old segment ({@code ip-sysctl}). */
    private static final String REUSE = "net/ipv4/tcp_tw_reuse";

    private LocalPorts() {}

    /**
     * Lets a connection to an endpoint have the local port of one that is over for a second. A relay whose clients close first
     * would have no port left after 28,232 connections to an endpoint in a minute. A setting that cannot be written fails nobody.
     */
    public static void reuse(NetworkNamespace namespace) {
        try {
            if (!namespace.sysctl(REUSE).equals("1")) {
                namespace.setSysctl(REUSE, "1");
            }
        } catch (LinuxNetException e) {
            LOG.atWarn()
                    .addKeyValue("setting", REUSE)
                    .addKeyValue("value", 1)
                    .addKeyValue("error", e.getMessage())
                    .log("relay.setting_left");
        }
    }
}
