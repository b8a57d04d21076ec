package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The local ports of connections to endpoints. */
public final class LocalPorts {
    private static final Logger LOG = LoggerFactory.getLogger(LocalPorts.class);

    /** It applies to outgoing connections with TCP timestamps, which identify old segments ({@code ip-sysctl}). */
    private static final String REUSE = "net/ipv4/tcp_tw_reuse";

    private LocalPorts() {}

    /**
     * Allows a connection to reuse the local port of one that ended a second ago. Without it, a relay whose clients
     * close first has no port left after 28,232 connections to an endpoint in a minute. A failure to write the setting
     * is ignored.
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
                    .log("relay.setting_not_set");
        }
    }
}
