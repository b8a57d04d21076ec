package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.util.Set;
import java.util.stream.Collectors;

/** The network namespace that the process is in. */
@FunctionalInterface
interface Host {
    NetworkNamespace open() throws LinuxNetException;

    /** The addresses of its links. */
    default Set<IpAddress> addresses() throws LinuxNetException {
        try (NetworkNamespace namespace = open()) {
            return namespace.addresses().stream()
                    .map(each -> each.address().address())
                    .collect(Collectors.toSet());
        }
    }
}
