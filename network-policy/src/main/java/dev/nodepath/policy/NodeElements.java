package dev.nodepath.policy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.LabelledNode;
import dev.nodepath.policy.object.NodePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The elements of one Node: its addresses, in the sets of the groups that select it. */
final class NodeElements {
    private NodeElements() {}

    /** Empty if the Node has no elements. */
    static Optional<TableGroup> of(LabelledNode node, IpFamily family, UsedSets sets) {
        List<TableGroup.Element> elements = new ArrayList<>();
        for (NodePeer peer : sets.nodes()) {
            for (IpAddress address : node.addresses()) {
                if (address.family() == family && peer.nodes().matches(node.labels())) {
                    elements.add(new TableGroup.Element(PolicyNames.peer(peer), NftElement.of(NftValue.of(address))));
                }
            }
        }
        return elements.isEmpty() ? Optional.empty() : Optional.of(new TableGroup(List.of(), List.of(), elements));
    }
}
