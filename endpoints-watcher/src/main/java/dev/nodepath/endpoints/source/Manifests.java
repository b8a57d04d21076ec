package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.endpoints.ClusterObjects;
import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServiceCidr;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The objects of manifests.
 *
 * @param cluster the Services, EndpointSlices and Nodes, checked
 * @param objects every object of every kind, in the order of the files
 */
public record Manifests(ClusterObjects cluster, List<ManifestObject> objects) {
    private static final String CORE = "v1";
    private static final String DISCOVERY = "discovery.k8s.io/v1";
    private static final String NETWORKING = "networking.k8s.io/v1";

    public Manifests {
        objects = List.copyOf(objects);
    }

    /**
     * Reads the objects that proxies use. The first one of duplicate objects counts.
     *
     * @param bad gets each object with problems
     * @throws ManifestException if the handler throws it
     */
    static Manifests of(List<ManifestObject> all, BadObject.Handler bad) throws ManifestException {
        List<ManifestObject> objects = unique(all, bad);
        ServiceConverter serviceConverter = new ServiceConverter();
        SliceConverter sliceConverter = new SliceConverter();
        NodeConverter nodeConverter = new NodeConverter();
        List<Service> services = new ArrayList<>();
        List<EndpointSlice> slices = new ArrayList<>();
        List<NodeInfo> nodes = new ArrayList<>();
        List<ServiceCidr> ranges = new ArrayList<>();
        for (ManifestObject object : objects) {
            if (object.is("", "Service") && isForDefaultProxy(object)) {
                services.addAll(read(object, CORE, serviceConverter::convert, bad));
            } else if (object.is("discovery.k8s.io", "EndpointSlice") && isForDefaultProxy(object)) {
                slices.addAll(read(object, DISCOVERY, sliceConverter::slice, bad));
            } else if (object.is("", "Node")) {
                nodes.addAll(read(object, CORE, nodeConverter::convert, bad));
            } else if (object.is("networking.k8s.io", "ServiceCIDR")) {
                ranges.addAll(read(object, NETWORKING, ServiceCidrConverter::convert, bad));
            }
        }
        return new Manifests(new ClusterObjects(services, slices, nodes, ranges), objects);
    }

    /** The objects of one kind of the core API group, such as {@code Pod}, in the order of the files. */
    public List<ManifestObject> objects(String kind) {
        return objects.stream().filter(object -> object.is("", kind)).toList();
    }

    /** Whether an object is for the default proxy, by the labels that kube-proxy selects with at an API server. */
    private static boolean isForDefaultProxy(ManifestObject object) {
        JsonNode labels = object.json().path("metadata").path("labels");
        return !labels.has(ServiceLabels.PROXY_NAME) && !labels.has(ServiceLabels.HEADLESS);
    }

    private interface Converter<R> {
        List<R> convert(NamespacedName name, Fields object);
    }

    private static <R> List<R> read(
            ManifestObject object, String apiVersion, Converter<R> converter, BadObject.Handler bad)
            throws ManifestException {
        Problems problems = new Problems();
        List<R> records = List.of();
        if (!object.apiVersion().equals(apiVersion)) {
            problems.add("apiVersion", object.apiVersion(), apiVersion);
        } else if (object.name().isEmpty()) {
            problems.add("metadata.name", "missing (expected: a string)");
        } else {
            records = converter.convert(
                    new NamespacedName(object.namespace(), object.name()), Fields.of(object.json(), problems));
        }
        if (problems.count() > 0) {
            bad.handle(new BadObject(object.kind(), object.place(), problems));
        }
        return records;
    }

    private static List<ManifestObject> unique(List<ManifestObject> objects, BadObject.Handler bad)
            throws ManifestException {
        Map<ManifestObject.Key, ManifestObject> seen = new HashMap<>();
        List<ManifestObject> unique = new ArrayList<>();
        for (ManifestObject object : objects) {
            ManifestObject first = object.name().isEmpty() ? null : seen.putIfAbsent(object.key(), object);
            if (first == null) {
                unique.add(object);
            } else {
                Problems problems = new Problems();
                problems.add(
                        "",
                        "already in " + first.origin().file() + ", line " + first.line("")
                                + " (expected: each object once)");
                bad.handle(new BadObject(object.kind(), object.place(), problems));
            }
        }
        return unique;
    }
}
