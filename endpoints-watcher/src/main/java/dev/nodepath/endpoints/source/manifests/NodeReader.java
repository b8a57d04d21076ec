package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import java.util.ArrayList;
import java.util.List;

/** Reads a Node ({@code v1}). */
final class NodeReader {
    private static final String ZONE = "topology.kubernetes.io/zone";

    private NodeReader() {}

    static NodeInfo read(ManifestObject object) throws ManifestException {
        ManifestNode metadata = object.root().get("metadata");
        return new NodeInfo(
                metadata.get("name").asString(),
                metadata.get("labels").get(ZONE).asString(""),
                internalIps(object.root().get("status")),
                podCidrs(object.root().get("spec")),
                !metadata.get("deletionTimestamp").isAbsent()
                        || isToBeDeleted(object.root().get("spec")));
    }

    private static boolean isToBeDeleted(ManifestNode spec) throws ManifestException {
        for (ManifestNode taint : spec.get("taints").items()) {
            if (taint.get("key").asString().equals(NodeInfo.TO_BE_DELETED_TAINT)) {
                return true;
            }
        }
        return false;
    }

    private static List<IpAddress> internalIps(ManifestNode status) throws ManifestException {
        List<IpAddress> ips = new ArrayList<>();
        for (ManifestNode address : status.get("addresses").items()) {
            if (address.get("type").asString().equals("InternalIP")) {
                ips.add(address.get("address").asIp());
            }
        }
        return ips;
    }

    private static List<Cidr> podCidrs(ManifestNode spec) throws ManifestException {
        List<Cidr> cidrs = new ArrayList<>();
        for (ManifestNode cidr : spec.get("podCIDRs").items()) {
            cidrs.add(cidr.asCidr());
        }
        if (cidrs.isEmpty() && !spec.get("podCIDR").isAbsent()) {
            cidrs.add(spec.get("podCIDR").asCidr());
        }
        return cidrs;
    }
}
