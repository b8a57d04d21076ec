package dev.nodepath.agent;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Notices changes of the own Node that a running proxy does not follow: as kube-proxy does, it ends then and begins anew. A
 * Node that was never seen is merely missing.
 */
final class NodeWatch {
    private final String name;
    private final boolean usesPodCidrs;
    private @Nullable NodeInfo known;

    /**
     * Nothing is known yet.
     *
     * @param usesPodCidrs whether pods are told by the Node's networks
     */
    NodeWatch(String name, boolean usesPodCidrs) {
        this.name = name;
        this.usesPodCidrs = usesPodCidrs;
    }

    /** Why the process has to end, if it has. */
    Optional<String> reasonToEnd(ServiceSnapshot snapshot) {
        NodeInfo before = known;
        NodeInfo now = snapshot.nodes().get(name);
        known = now == null ? before : now;
        if (before == null) {
            return Optional.empty();
        }
        if (now == null) {
            return Optional.of("deleted");
        }
        if (isAnother(before.addresses(), now.addresses())) {
            return Optional.of("addresses changed from " + before.addresses() + " to " + now.addresses());
        }
        return usesPodCidrs && isAnother(before.podCidrs(), now.podCidrs())
                ? Optional.of("podCIDRs changed from " + before.podCidrs() + " to " + now.podCidrs())
                : Optional.empty();
    }

    /** The first ones that a Node gets are no change: they were waited for. */
    private static boolean isAnother(List<?> before, List<?> now) {
        return !before.isEmpty() && !now.equals(before);
    }
}
