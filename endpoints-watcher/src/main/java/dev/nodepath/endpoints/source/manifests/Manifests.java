package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.tracker.ClusterObjects;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.Service;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was read from manifests.
 *
 * @param cluster the Services, EndpointSlices and Nodes, checked
 * @param objects every object of every kind, these included, in the order of the files
 */
public record Manifests(ClusterObjects cluster, List<ManifestObject> objects) {
    /** Copies the list. */
    public Manifests {
        objects = List.copyOf(objects);
    }

    /**
     * Checks the objects that proxies use.
     *
     * @throws ManifestException if one of them cannot be used, or two objects are the same
     */
    static Manifests of(List<ManifestObject> objects) throws ManifestException {
        checkUnique(objects);
        List<Service> services = new ArrayList<>();
        List<EndpointSlice> slices = new ArrayList<>();
        List<NodeInfo> nodes = new ArrayList<>();
        for (ManifestObject object : objects) {
            if (object.is("", "Service")) {
                services.add(ServiceReader.read(object));
            } else if (object.is("discovery.k8s.io", "EndpointSlice")) {
                EndpointSliceReader.read(object).ifPresent(slices::add);
            } else if (object.is("", "Node")) {
                nodes.add(NodeReader.read(object));
            }
        }
        return new Manifests(new ClusterObjects(services, slices, nodes), objects);
    }

    /** The objects of one kind of the core API group, such as {@code Pod}, in the order of the files. */
    public List<ManifestObject> objects(String kind) {
        return objects.stream().filter(object -> object.is("", kind)).toList();
    }

    private static void checkUnique(List<ManifestObject> objects) throws ManifestException {
        Map<ManifestObject.Key, ManifestObject> seen = new HashMap<>();
        for (ManifestObject object : objects) {
            ManifestObject first = object.name().isEmpty() ? null : seen.putIfAbsent(object.key(), object);
            if (first != null) {
                throw object.root()
                        .problem("already in " + first.root().file() + ", line "
                                + first.root().line() + " (expected: each object once)");
            }
        }
    }
}
