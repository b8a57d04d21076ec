package dev.nodepath.cni;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Settings of the node's links below {@code /proc/sys}. */
final class NodeSettings {
    private NodeSettings() {}

    /** Makes a link ignore router advertisements and use its IPv6 address at once. */
    static void own(NetworkNamespace host, String link) throws LinuxNetException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(acceptsRouters(link), "0");
        settings.put("net/ipv6/conf/" + link + "/accept_dad", "0");
        setWhereKnown(host, settings);
    }

    /**
     * Makes a link ignore router advertisements, because any container may send them (CVE-2020-10749). The kernel
     * resets this when the link's MTU falls below 1280, the minimum of IPv6, and rises again.
     */
    static void refuseRouters(NetworkNamespace host, String link) throws LinuxNetException {
        Optional<String> accepts = read(host, acceptsRouters(link));
        // Not written if it is right already, because /proc/sys may be read-only.
        if (accepts.isPresent() && !accepts.get().equals("0")) {
            setWhereKnown(host, Map.of(acceptsRouters(link), "0"));
        }
    }

    /** The setting that makes a link accept router advertisements. */
    static String acceptsRouters(String link) {
        return "net/ipv6/conf/" + link + "/accept_ra";
    }

    /** A setting's value; empty if the kernel does not know it. */
    static Optional<String> read(NetworkNamespace namespace, String key) throws LinuxNetException {
        try {
            return Optional.of(namespace.sysctl(key).strip());
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** Writes settings in order and stops at an unknown one, for example on a kernel without IPv6. */
    static void setWhereKnown(NetworkNamespace namespace, Map<String, String> settings) throws LinuxNetException {
        try {
            namespace.setSysctls(settings);
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    /** Turns on forwarding. It writes only if needed, because a write flushes the kernel's caches. */
    static void enableForwarding(NetworkNamespace host, IpFamily family) throws LinuxNetException {
        String key = family == IpFamily.IPV4 ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding";
        if (!host.sysctl(key).strip().equals("1")) {
            host.setSysctl(key, "1");
        }
    }
}
