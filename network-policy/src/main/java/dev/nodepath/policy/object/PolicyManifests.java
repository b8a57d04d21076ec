package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * Reads policies and the objects that they depend on, from objects of any kind.
 *
 * @param objects objects of other kinds are skipped
 * @param bad is given unreadable and unenforced parts of an object, with their place
 */
public record PolicyManifests(List<ManifestObject> objects, Consumer<ManifestException> bad) {
    public PolicyManifests {
        objects = List.copyOf(objects);
    }

    /** The snapshot of the objects. Unreadable parts fail closed, as in the agent. */
    public PolicySnapshot snapshot() {
        Map<String, Map<String, String>> namespaces = new HashMap<>();
        read("", "Namespace", PolicyNamespaceConverter::convert)
                .forEach((name, labels) -> namespaces.put(name.name(), labels));
        return new PolicySnapshot(
                HashTreePMap.from(namespaces),
                read("", "Pod", new PolicyPodConverter()::convert),
                read("networking.k8s.io", "NetworkPolicy", NetworkPolicyConverter::convert),
                read("policy.networking.k8s.io", "ClusterNetworkPolicy", ClusterNetworkPolicyConverter::convert),
                read("", "Node", LabelledNode::convert));
    }

    private <R> PMap<NamespacedName, R> read(
            String group, String kind, BiFunction<NamespacedName, Fields, List<R>> converter) {
        Map<NamespacedName, R> read = new HashMap<>();
        for (ManifestObject object : objects) {
            if (object.is(group, kind)) {
                NamespacedName name = new NamespacedName(object.namespace(), object.name());
                object.read(fields -> converter.apply(name, fields), bad).forEach(each -> read.put(name, each));
            }
        }
        return HashTreePMap.from(read);
    }
}
