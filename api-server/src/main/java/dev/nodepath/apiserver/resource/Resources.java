package dev.nodepath.apiserver.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The built-in kinds. Names, short names and categories are those of Kubernetes 1.36. */
public final class Resources {
    private static final List<String> NONE = List.of();
    private static final List<String> ALL = List.of("all");
    private static final List<String> STATUS = List.of("status");
    private static final List<String> SCALABLE = List.of("status", "scale");

    public static final Resource NAMESPACES = new Resource(
            "", "v1", "namespaces", "Namespace", false, List.of("ns"), List.of("status", "finalize"), NONE);
    public static final Resource NODES = new Resource("", "v1", "nodes", "Node", false, List.of("no"), STATUS, NONE);
    /** The subresource that approves or denies a request for a certificate. */
    public static final String APPROVAL = "approval";

    /** The subresource of a Pod that adds containers while it runs (KEP-277). */
    public static final String EPHEMERAL_CONTAINERS = "ephemeralcontainers";

    public static final Resource PODS = new Resource(
            "",
            "v1",
            "pods",
            "Pod",
            true,
            List.of("po"),
            List.of("status", "binding", EPHEMERAL_CONTAINERS, "eviction", "log", "exec", "attach", "portforward"),
            ALL);
    public static final Resource SERVICES =
            new Resource("", "v1", "services", "Service", true, List.of("svc"), STATUS, ALL);
    public static final Resource ENDPOINTS =
            new Resource("", "v1", "endpoints", "Endpoints", true, List.of("ep"), NONE, NONE);
    public static final Resource CONFIG_MAPS =
            new Resource("", "v1", "configmaps", "ConfigMap", true, List.of("cm"), NONE, NONE);
    public static final Resource SECRETS = new Resource("", "v1", "secrets", "Secret", true, NONE, NONE, NONE);
    public static final Resource SERVICE_ACCOUNTS =
            new Resource("", "v1", "serviceaccounts", "ServiceAccount", true, List.of("sa"), List.of("token"), NONE);
    /** Events of the core group; {@link #EVENTS_V1} are the same objects in another form. */
    public static final Resource EVENTS = new Resource("", "v1", "events", "Event", true, List.of("ev"), NONE, NONE);

    public static final Resource EVENTS_V1 =
            new Resource("events.k8s.io", "v1", "events", "Event", true, List.of("ev"), NONE, NONE);
    public static final Resource ENDPOINT_SLICES =
            new Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", true, NONE, NONE, NONE);
    public static final Resource LEASES =
            new Resource("coordination.k8s.io", "v1", "leases", "Lease", true, NONE, NONE, NONE);
    public static final Resource DEPLOYMENTS =
            new Resource("apps", "v1", "deployments", "Deployment", true, List.of("deploy"), SCALABLE, ALL);
    public static final Resource REPLICA_SETS =
            new Resource("apps", "v1", "replicasets", "ReplicaSet", true, List.of("rs"), SCALABLE, ALL);
    public static final Resource STATEFUL_SETS =
            new Resource("apps", "v1", "statefulsets", "StatefulSet", true, List.of("sts"), SCALABLE, ALL);
    public static final Resource DAEMON_SETS =
            new Resource("apps", "v1", "daemonsets", "DaemonSet", true, List.of("ds"), STATUS, ALL);
    public static final Resource CONTROLLER_REVISIONS =
            new Resource("apps", "v1", "controllerrevisions", "ControllerRevision", true, NONE, NONE, NONE);
    public static final Resource SERVICE_CIDRS =
            new Resource("networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR", false, NONE, STATUS, NONE);
    public static final Resource NETWORK_POLICIES = new Resource(
            "networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", true, List.of("netpol"), NONE, NONE);

    public static final Resource JOBS = new Resource("batch", "v1", "jobs", "Job", true, NONE, STATUS, ALL);
    public static final Resource CUSTOM_RESOURCE_DEFINITIONS = new Resource(
            "apiextensions.k8s.io",
            "v1",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            false,
            List.of("crd", "crds"),
            STATUS,
            List.of("api-extensions"));

    /** The kind of the subresource {@code scale} of all sets of Pods. */
    public static final Resource SCALES = new Resource("autoscaling", "v1", "scales", "Scale", true, NONE, NONE, NONE);

    private static final String SCALERS = "horizontalpodautoscalers";
    private static final StoredKinds STORED = StoredKinds.read();
    public static final Resource PERSISTENT_VOLUME_CLAIMS = STORED.named("persistentvolumeclaims");
    public static final Resource PERSISTENT_VOLUMES = STORED.named("persistentvolumes");
    public static final Resource STORAGE_CLASSES = STORED.named("storageclasses");
    public static final Resource REPLICATION_CONTROLLERS = STORED.named("replicationcontrollers");
    public static final Resource CERTIFICATE_REQUESTS = STORED.named("certificatesigningrequests");
    public static final Resource PRIORITY_CLASSES = STORED.named("priorityclasses");
    private static final Set<Resource> ACTED_ON =
            Set.of(PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES, PRIORITY_CLASSES);
    private static final List<Resource> KNOWN = List.of(
            NAMESPACES,
            NODES,
            PODS,
            SERVICES,
            ENDPOINTS,
            CONFIG_MAPS,
            SECRETS,
            SERVICE_ACCOUNTS,
            EVENTS,
            EVENTS_V1,
            ENDPOINT_SLICES,
            LEASES,
            DEPLOYMENTS,
            REPLICA_SETS,
            STATEFUL_SETS,
            DAEMON_SETS,
            CONTROLLER_REVISIONS,
            SERVICE_CIDRS,
            NETWORK_POLICIES,
            JOBS,
            CUSTOM_RESOURCE_DEFINITIONS);
    private static final List<Resource> EVERY = every();
    private static final Resource SCALERS_V2 = EVERY.stream()
            .filter(each -> each.plural().equals(SCALERS) && each.version().equals("v2"))
            .findFirst()
            .orElseThrow();
    private static final Set<Resource> BUILT_IN = Set.copyOf(EVERY);

    private Resources() {}

    /** Kinds of questions: they are answered and not stored. */
    public static List<Resource> reviews() {
        return STORED.reviews();
    }

    /** The stored form of a kind: some objects have two forms, but only one is stored. */
    public static Resource stored(Resource resource) {
        if (resource.equals(EVENTS_V1)) {
            return EVENTS;
        }
        return isOldScaler(resource) ? SCALERS_V2 : resource;
    }

    /** Whether a kind is {@code autoscaling/v1 HorizontalPodAutoscaler}, which is stored as {@code v2}. */
    public static boolean isOldScaler(Resource resource) {
        return resource.plural().equals(SCALERS)
                && resource.version().equals("v1")
                && resource.group().equals("autoscaling");
    }

    /** Whether the cluster only stores objects of a kind, without acting on them. */
    public static boolean isOnlyStored(Resource resource) {
        return STORED.columns().containsKey(resource) && !ACTED_ON.contains(resource);
    }

    /** Titles and expressions of the columns between name and age, for a kind of {@code kinds.txt}. */
    public static List<String> columns(Resource resource) {
        return STORED.columns().getOrDefault(resource, List.of());
    }

    /** Whether a kind is one of Kubernetes' own; other kinds come from CustomResourceDefinitions. */
    public static boolean isBuiltIn(Resource resource) {
        return BUILT_IN.contains(resource);
    }

    /** Every built-in kind, those of the core group first. */
    public static List<Resource> all() {
        return EVERY;
    }

    private static List<Resource> every() {
        List<Resource> core = new ArrayList<>();
        List<Resource> others = new ArrayList<>();
        for (List<Resource> part : List.of(KNOWN, STORED.stored())) {
            for (Resource each : part) {
                (each.group().isEmpty() ? core : others).add(each);
            }
        }
        core.addAll(others);
        return List.copyOf(core);
    }
}
