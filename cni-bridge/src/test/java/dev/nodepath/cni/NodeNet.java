package dev.nodepath.cni;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Random;

/** The real kernel as a process in a named namespace sees it, so that a test can play several nodes. */
final class NodeNet {
    private NodeNet() {}

    static LinuxNet of(KernelLinuxNet kernel, String node) {
        return (LinuxNet) Proxy.newProxyInstance(
                LinuxNet.class.getClassLoader(), new Class<?>[] {LinuxNet.class}, (proxy, method, arguments) -> {
                    try {
                        return method.getName().equals("current")
                                ? kernel.openNamed(node)
                                : method.invoke(kernel, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Calls of the plugin on such a node. */
    static Invocation invocation(KernelLinuxNet kernel, LinuxNet node, LinkRemoval removal) {
        return invocation(kernel, node, removal, Path.of("/nowhere"));
    }

    /** Likewise, with the folder of addresses that is used where a configuration names none. */
    static Invocation invocation(KernelLinuxNet kernel, LinuxNet node, LinkRemoval removal, Path dataDirDefault) {
        HostLocalIpam ipam = new HostLocalIpam(file -> Invocation.tryLock(kernel, file), HostLocalIpam.LOCK_WAIT_MAX);
        BridgePlugin plugin = new BridgePlugin(node, ipam, removal, new Random(), AddressGate.OPEN);
        return new Invocation(plugin, Path.of("/proc/self/ns/net"), dataDirDefault);
    }
}
