package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The network namespace that the process is in. */
@FunctionalInterface
interface Host {
    Logger LOG = LoggerFactory.getLogger(Host.class);

    NetworkNamespace open() throws LinuxNetException;

    /** The addresses of its links. Where they cannot be listed there are none, which is logged. */
    default Set<IpAddress> addresses() {
        try (NetworkNamespace namespace = open()) {
            return namespace.addresses().stream()
                    .map(each -> each.address().address())
                    .collect(Collectors.toSet());
        } catch (LinuxNetException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("relay.addresses_unknown");
            return Set.of();
        }
    }
}
