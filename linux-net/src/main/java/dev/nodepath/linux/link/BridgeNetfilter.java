package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tells whether bridged packets can pass netfilter's rules. The kernel needs the module {@code br_netfilter} for that.
 * Without it, replies between containers of one bridge are not translated back.
 */
public final class BridgeNetfilter {
    private static final Path SETTINGS = Path.of("/proc/sys/net/bridge");

    private BridgeNetfilter() {}

    /** Refuses to have a bridge ask for it without the module: the kernel takes the setting and ignores it. */
    static void check(String operation, boolean netfilter) throws LinuxNetException {
        if (netfilter && !isLoaded()) {
            throw new LinuxNetException(operation, Errno.EOPNOTSUPP.number(), "netfilter: br_netfilter is not loaded");
        }
    }

    /** The setting below {@code net/bridge} by which all bridges pass the packets of a family. */
    public static String setting(IpFamily family) {
        return "bridge-nf-call-" + (family == IpFamily.IPV4 ? "iptables" : "ip6tables");
    }

    /** Whether the module is loaded, as far as the network namespace of the calling thread shows it. */
    public static boolean isLoaded() {
        return Files.exists(SETTINGS.resolve(setting(IpFamily.IPV4)));
    }
}
