package dev.nodepath.agent;

import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes settings of connection tracking that differ. One that cannot be written, as in a container whose {@code /proc/sys}
 * is read-only, is named in the log and left: traffic does not depend on it.
 */
final class ConntrackSettings {
    private static final Logger LOG = LoggerFactory.getLogger(ConntrackSettings.class);
    private static final String MAX = "net/netfilter/nf_conntrack_max";

    private ConntrackSettings() {}

    /**
     * Writes them.
     *
     * @param max the least limit of flows, 0 for any; a higher one stays, as other programs may need it
     * @param settings values by path
     */
    static void apply(NetworkNamespace namespace, long max, Map<String, String> settings) {
        if (max > 0) {
            write(namespace, MAX, Long.toString(max), true);
        }
        settings.forEach((key, value) -> write(namespace, key, value, false));
    }

    private static void write(NetworkNamespace namespace, String key, String value, boolean onlyRaise) {
        try {
            String now = namespace.sysctl(key);
            if (now.equals(value) || (onlyRaise && Long.parseLong(now) >= Long.parseLong(value))) {
                return;
            }
            namespace.setSysctl(key, value);
            LOG.atInfo().addKeyValue("setting", key).addKeyValue("value", value).log("conntrack.set");
        } catch (LinuxNetException | NumberFormatException e) {
            LOG.atWarn()
                    .addKeyValue("setting", key)
                    .addKeyValue("value", value)
                    .addKeyValue("error", e.getMessage())
                    .log("conntrack.setting_left");
        }
    }
}
