package dev.nodepath.cni;

import dev.nodepath.linux.Errno;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.util.LinkedHashMap;
import java.util.Map;

/** Settings of the node's links below {@code /proc/sys}. */
final class NodeSettings {
    private NodeSettings() {}

    /** Lets a link take routes from nobody, and use its own IPv6 address at once. */
    static void own(NetworkNamespace host, String link) throws LinuxNetException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("net/ipv6/conf/" + link + "/accept_ra", "0");
        settings.put("net/ipv6/conf/" + link + "/accept_dad", "0");
        setWhereKnown(host, settings);
    }

    /** Writes settings until one is not known, as those of IPv6 on a kernel without it. */
    static void setWhereKnown(NetworkNamespace namespace, Map<String, String> settings) throws LinuxNetException {
        try {
            namespace.setSysctls(settings);
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    /** Written only when it is off: writing it flushes the kernel's caches even if nothing changes. */
    static void enableForwarding(NetworkNamespace host, IpFamily family) throws LinuxNetException {
        String key = family == IpFamily.IPV4 ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding";
        if (!host.sysctl(key).strip().equals("1")) {
            host.setSysctl(key, "1");
        }
    }
}
