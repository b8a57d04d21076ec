package dev.nodepath.emulator.cluster;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.ClusterRules;
import dev.nodepath.apiserver.rules.ClusterSchema;
import dev.nodepath.apiserver.rules.InitialObjects;
import dev.nodepath.apiserver.rules.StandardObjects;
import dev.nodepath.apiserver.rules.StandardStorage;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.endpoints.source.ManifestObject;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An API with the objects that a cluster has before its user adds any: namespaces, Services of its own, Nodes. */
public final class InitialState {
    /** The cluster IP of the API server. */
    static final String API_SERVICE = "10.96.0.1";

    private static final List<String> SERVICE_CIDR = List.of("10.96.0.0/16");
    private static final List<String> SERVICE_CIDRS = List.of("10.96.0.0/16", "fd96::/112");
    /** Enough for a watch that is interrupted for a while. */
    private static final int HISTORY_MAX = 10_000;

    private InitialState() {}

    /**
     * The objects of unknown kinds: no cluster has the kind, and no CustomResourceDefinition of the topology defines
     * it.
     */
    public static List<ManifestObject> unserved(Topology topology) {
        Kinds kinds = kinds(topology);
        return topology.objects().stream()
                .filter(object ->
                        kinds.ofKind(object.apiVersion(), object.kind()).isEmpty())
                .toList();
    }

    /** The API server's warnings about new objects: each text once, with its first object. */
    public static Map<String, ManifestObject> warnings(Topology topology) {
        Kinds kinds = kinds(topology);
        ClusterSchema schema = new ClusterSchema();
        Map<String, ManifestObject> warnings = new LinkedHashMap<>();
        for (ManifestObject object : topology.objects()) {
            for (Resource resource :
                    kinds.ofKind(object.apiVersion(), object.kind()).stream().toList()) {
                Stream.concat(
                                schema.creationWarnings(resource, object.json()).stream(),
                                schema.warnings(resource, object.json()).stream())
                        .forEach(warning -> warnings.putIfAbsent(warning, object));
            }
        }
        return warnings;
    }

    private static Kinds kinds(Topology topology) {
        ObjectStore store = new ObjectStore(1, HISTORY_MAX);
        ClusterApi api = new ClusterApi(store, new ClusterRules(store), InstantSource.system());
        Workload.create(
                api, topology.objects().stream().filter(Workload::isDefinition).toList());
        return api.kinds();
    }

    /**
     * The faults of a topology's objects, a line each; empty if all can be created. The check creates them in an API
     * that is then thrown away.
     */
    public static List<String> problems(Topology topology) {
        return Workload.create(create(topology, "172.30.0.254", 6443), topology.objects());
    }

    /**
     * Makes the API.
     *
     * @param address where nodes reach the API server
     * @param port of the API server
     */
    static ClusterApi create(Topology topology, String address, int port) {
        ObjectStore store = new ObjectStore(1, HISTORY_MAX);
        ClusterApi api = new ClusterApi(store, new ClusterRules(store), InstantSource.system());
        boolean dual = topology.nodes().get(0).addresses().size() > 1;
        new InitialObjects(dual ? SERVICE_CIDRS : SERVICE_CIDR, address, port).create(api);
        StandardStorage.create(api);
        StandardObjects.create(api);
        api.create(Resources.CUSTOM_RESOURCE_DEFINITIONS, ClusterPolicyDefinition.definition());
        for (ManifestObject node : topology.nodeObjects()) {
            NodeConditions.register(api, node.json());
        }
        return api;
    }
}
