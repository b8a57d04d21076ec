package dev.nodepath.linux.namespace;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether what a bridge switches from port to port can meet netfilter's rules, for which the kernel needs its module
 * {@code br_netfilter}: answers between containers of one bridge have to be translated back.
 */
public final class BridgeNetfilter {
    private static final Path SETTING = Path.of("/proc/sys/net/bridge/bridge-nf-call-iptables");

    private BridgeNetfilter() {}

    /** Refuses to have a bridge ask for it without the module: the kernel takes the setting and ignores it. */
    static void check(String operation, boolean netfilter) throws LinuxNetException {
        if (netfilter && !isLoaded()) {
            throw new LinuxNetException(operation, Errno.EOPNOTSUPP.number(), "netfilter: br_netfilter is not loaded");
        }
    }

    /** Whether the module is loaded, as far as the network namespace of the calling thread shows it. */
    public static boolean isLoaded() {
        return Files.exists(SETTING);
    }
}
