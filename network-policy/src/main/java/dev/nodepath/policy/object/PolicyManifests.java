package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.objects.Fields;
import dev.nodepath.endpoints.source.objects.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/** Reads policies, and what they depend on, from objects of any kind. */
public final class PolicyManifests {
    private PolicyManifests() {}

    /** The snapshot of these objects. What cannot be read of them fails closed, as in the agent. */
    public static PolicySnapshot snapshot(List<ManifestObject> objects) {
        Map<String, Map<String, String>> namespaces = new HashMap<>();
        read(objects, "", "Namespace", PolicyNamespaceConverter::convert)
                .forEach((name, labels) -> namespaces.put(name.name(), labels));
        return new PolicySnapshot(
                HashTreePMap.from(namespaces),
                read(objects, "", "Pod", new PolicyPodConverter()::convert),
                read(objects, "networking.k8s.io", "NetworkPolicy", NetworkPolicyConverter::convert),
                read(
                        objects,
                        "policy.networking.k8s.io",
                        "ClusterNetworkPolicy",
                        ClusterNetworkPolicyConverter::convert),
                read(objects, "", "Node", LabelledNode::convert));
    }

    /** What cannot be read of these objects, or is not enforced: a line for each, with its place. */
    public static List<String> problems(List<ManifestObject> objects) {
        List<String> problems = new ArrayList<>();
        for (ManifestObject object : objects) {
            NamespacedName name = new NamespacedName(object.namespace(), object.name());
            try {
                var unused = object.read(fields -> converted(object, name, fields));
            } catch (ManifestException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        return problems;
    }

    private static List<?> converted(ManifestObject object, NamespacedName name, Fields fields) {
        if (object.is("networking.k8s.io", "NetworkPolicy")) {
            return NetworkPolicyConverter.convert(name, fields);
        }
        if (object.is("policy.networking.k8s.io", "ClusterNetworkPolicy")) {
            return ClusterNetworkPolicyConverter.convert(name, fields);
        }
        if (object.is("", "Pod")) {
            return new PolicyPodConverter().convert(name, fields);
        }
        return object.is("", "Namespace") ? PolicyNamespaceConverter.convert(name, fields) : List.of();
    }

    private static <R> PMap<NamespacedName, R> read(
            List<ManifestObject> objects,
            String group,
            String kind,
            BiFunction<NamespacedName, Fields, List<R>> converter) {
        Map<NamespacedName, R> read = new HashMap<>();
        for (ManifestObject object : objects) {
            if (object.is(group, kind)) {
                NamespacedName name = new NamespacedName(object.namespace(), object.name());
                converter.apply(name, Fields.of(object.json(), new Problems())).forEach(each -> read.put(name, each));
            }
        }
        return HashTreePMap.from(read);
    }
}
