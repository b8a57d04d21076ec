package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import java.util.List;

/**
 * The settings of {@link PodRoutes}.
 *
 * @param node the name of this node's Node
 * @param overlay how packets get to other nodes
 * @param podBridge the link of this node's pods; its routes are no obstacle to this node's podCIDRs
 * @param masquerade whether traffic of pods that leaves the cluster gets the node's address
 * @param nonMasqueradeCidrs further networks that pods reach with their own address; podCIDRs are always such networks
 */
public record RouteSettings(
        String node, Overlay overlay, String podBridge, boolean masquerade, List<Cidr> nonMasqueradeCidrs) {

    public RouteSettings {
        nonMasqueradeCidrs = List.copyOf(nonMasqueradeCidrs);
    }
}
