package dev.nodepath.cni.bridge;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Settings of the node's links below {@code /proc/sys}. */
public final class NodeSettings {
    private NodeSettings() {}

    /** Lets a link take routes from nobody, and use its own IPv6 address at once. */
    static void own(NetworkNamespace host, String link) throws LinuxNetException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(acceptsRouters(link), "0");
        settings.put("net/ipv6/conf/" + link + "/accept_dad", "0");
        setWhereKnown(host, settings);
    }

    /**
     * Lets a link take addresses and routes from nobody: any container may send router advertisements (CVE-2020-10749). The
     * kernel forgets it when the link's MTU falls below 1280, the least that IPv6 takes, and rises again.
     */
    static void refuseRouters(NetworkNamespace host, String link) throws LinuxNetException {
        Optional<String> accepts = read(host, acceptsRouters(link));
        // Not written needlessly: it may be right already where /proc/sys is read-only.
        if (accepts.isPresent() && !accepts.get().equals("0")) {
            setWhereKnown(host, Map.of(acceptsRouters(link), "0"));
        }
    }

    /** The setting that says whether a link takes addresses and routes from router advertisements. */
    public static String acceptsRouters(String link) {
        return "net/ipv6/conf/" + link + "/accept_ra";
    }

    /** A setting's value; empty if the kernel does not know it. */
    public static Optional<String> read(NetworkNamespace namespace, String key) throws LinuxNetException {
        try {
            return Optional.of(namespace.sysctl(key).strip());
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            return Optional.empty();
        }
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
    public static void enableForwarding(NetworkNamespace host, IpFamily family) throws LinuxNetException {
        String key = family == IpFamily.IPV4 ? "net/ipv4/ip_forward" : "net/ipv6/conf/all/forwarding";
        if (!host.sysctl(key).strip().equals("1")) {
            host.setSysctl(key, "1");
        }
    }
}
