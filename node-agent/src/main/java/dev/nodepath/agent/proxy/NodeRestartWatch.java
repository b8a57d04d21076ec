package dev.nodepath.agent.proxy;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of this node's Node that a running proxy does not follow: the process then ends and restarts, as
 * kube-proxy does. A Node that was never seen counts as missing.
 */
public final class NodeRestartWatch {
    private final String name;
    private final boolean usesPodCidrs;
    private @Nullable NodeInfo known;

    /**
     * Does not know the Node yet.
     *
     * @param usesPodCidrs whether pods are recognised by the Node's networks
     */
    public NodeRestartWatch(String name, boolean usesPodCidrs) {
        this.name = name;
        this.usesPodCidrs = usesPodCidrs;
    }

    /** Why the process must end; empty if it need not. */
    public Optional<String> reasonToEnd(ServiceSnapshot snapshot) {
        NodeInfo before = known;
        NodeInfo now = snapshot.nodes().get(name);
        known = now == null ? before : now;
        if (before == null) {
            return Optional.empty();
        }
        if (now == null) {
            return Optional.of("deleted");
        }
        if (now.addresses().isEmpty()) {
            // The addresses are being replaced.
            known = new NodeInfo(
                    now.name(), now.zone(), before.addresses(), now.podCidrs(), now.leaving(), now.kubeletVersion());
        } else if (isAnother(own(before), own(now))) {
            return Optional.of("addresses changed from " + own(before) + " to " + own(now));
        }
        return usesPodCidrs && isAnother(before.podCidrs(), now.podCidrs())
                ? Optional.of("podCIDRs changed from " + before.podCidrs() + " to " + now.podCidrs())
                : Optional.empty();
    }

    /** The Node's first address and its first one of the other family, as in kube-proxy. */
    private static List<IpAddress> own(NodeInfo node) {
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        return node.addresses().stream()
                .filter(address -> families.add(address.family()))
                .toList();
    }

    /** The first podCIDRs of a Node are no change: the proxy waited for them. */
    private static boolean isAnother(List<?> before, List<?> now) {
        return !before.isEmpty() && !now.equals(before);
    }
}
