package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Node for rules: its labels, and the addresses of its status. */
public record LabelledNode(Map<String, String> labels, List<IpAddress> addresses) {
    public LabelledNode {
        labels = Map.copyOf(labels);
        addresses = addresses.stream().distinct().toList();
    }

    /** Reads a Node. Its addresses may also be names, which are left out. */
    public static List<LabelledNode> convert(NamespacedName name, Fields node) {
        List<IpAddress> addresses = new ArrayList<>();
        for (Fields address : node.object("status").objects("addresses")) {
            if (address.text("type").endsWith("IP")) {
                address.ip("address").ifPresent(addresses::add);
            }
        }
        return List.of(new LabelledNode(node.object("metadata").textMap("labels"), addresses));
    }
}
