package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;

/** Converts {@code v1} Nodes. */
public final class NodeConverter {
    private static final String ZONE = "topology.kubernetes.io/zone";

    /** Converts Nodes. */
    public NodeConverter() {}

    /** The Node as a value. */
    public List<NodeInfo> convert(NamespacedName name, Fields node) {
        List<IpAddress> addresses = new ArrayList<>(addresses(node, "InternalIP"));
        for (IpAddress external : addresses(node, "ExternalIP")) {
            if (addresses.stream().noneMatch(known -> known.family() == external.family())) {
                addresses.add(external);
            }
        }
        Fields spec = node.object("spec");
        // Old objects have only podCIDR.
        List<Cidr> podCidrs =
                spec.hasItems("podCIDRs") || !spec.has("podCIDR") ? spec.cidrs("podCIDRs") : spec.cidr("podCIDR");
        return List.of(new NodeInfo(
                name.name(),
                node.metadata("labels", ZONE),
                addresses,
                podCidrs,
                isLeaving(node),
                node.object("status").object("nodeInfo").text("kubeletVersion")));
    }

    private static List<IpAddress> addresses(Fields node, String type) {
        List<IpAddress> addresses = new ArrayList<>();
        for (Fields address : node.object("status").objects("addresses")) {
            if (address.text("type").equals(type)) {
                address.ip("address").ifPresent(addresses::add);
            }
        }
        return addresses;
    }

    private static boolean isLeaving(Fields node) {
        return node.object("metadata").has("deletionTimestamp")
                || node.object("spec").objects("taints").stream()
                        .anyMatch(taint -> taint.text("key").equals(NodeInfo.TO_BE_DELETED_TAINT));
    }
}
