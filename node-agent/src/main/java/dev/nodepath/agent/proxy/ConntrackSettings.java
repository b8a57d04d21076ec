package dev.nodepath.agent.proxy;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes settings of connection tracking that differ. A setting that cannot be written, for example in a container
 * with a read-only {@code /proc/sys}, is logged and left: traffic does not depend on it.
 */
public final class ConntrackSettings {
    private static final Logger LOG = LoggerFactory.getLogger(ConntrackSettings.class);
    private static final String MAX = "net/netfilter/nf_conntrack_max";

    /** A setting of the whole kernel; only a process in the initial network namespace may write it. */
    private static final Path HASH_SIZE = Path.of("/sys/module/nf_conntrack/parameters/hashsize");

    /** Flows for each hash bucket, which keeps lookups short; kube-proxy's value. */
    private static final int FLOWS_PER_BUCKET = 4;

    private ConntrackSettings() {}

    /**
     * Writes them. A higher limit of flows stays, as other programs may need it.
     *
     * @param settings values by path
     */
    public static void apply(NetworkNamespace namespace, Map<String, String> settings) {
        apply(namespace, settings, HASH_SIZE);
    }

    /** Applies the settings, with another file for the size of the hash table. */
    public static void apply(NetworkNamespace namespace, Map<String, String> settings, Path hashSize) {
        settings.forEach((key, value) -> {
            if (write(namespace, key, value) && key.equals(MAX)) {
                growTable(hashSize, Long.parseLong(value) / FLOWS_PER_BUCKET);
            }
        });
    }

    private static void growTable(Path file, long buckets) {
        try {
            if (Long.parseLong(Files.readString(file).strip()) < buckets) {
                Files.writeString(file, Long.toString(buckets));
                LOG.atInfo()
                        .addKeyValue("setting", file)
                        .addKeyValue("value", buckets)
                        .log("conntrack.set");
            }
        } catch (IOException | NumberFormatException e) {
            left(file.toString(), Long.toString(buckets), e);
        }
    }

    /** Whether it is as wanted. */
    private static boolean write(NetworkNamespace namespace, String key, String value) {
        try {
            String now = namespace.sysctl(key);
            if (now.equals(value) || (key.equals(MAX) && Long.parseLong(now) >= Long.parseLong(value))) {
                return true;
            }
            namespace.setSysctl(key, value);
            LOG.atInfo().addKeyValue("setting", key).addKeyValue("value", value).log("conntrack.set");
            return true;
        } catch (LinuxNetException | NumberFormatException e) {
            left(key, value, e);
            return false;
        }
    }

    private static void left(String key, String value, Exception refusal) {
        LOG.atWarn()
                .addKeyValue("setting", key)
                .addKeyValue("value", value)
                .addKeyValue("error", refusal.getMessage())
                .log("conntrack.setting_not_set");
    }
}
