package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Deployments, ReplicaSets, StatefulSets and DaemonSets. */
final class WorkloadDefaults {
    private static final int HISTORY = 10;
    private static final int PROGRESS_SECONDS = 600;
    private static final String ROLLING = "RollingUpdate";

    private WorkloadDefaults() {}

    static void deployment(ObjectNode deployment) {
        ObjectNode spec = spec(deployment);
        Absent.put(spec, "replicas", 1);
        Absent.put(spec, "revisionHistoryLimit", HISTORY);
        Absent.put(spec, "progressDeadlineSeconds", PROGRESS_SECONDS);
        ObjectNode strategy = spec.withObjectProperty("strategy");
        Absent.put(strategy, "type", ROLLING);
        if (strategy.path("type").asText().equals(ROLLING)) {
            ObjectNode rolling = strategy.withObjectProperty("rollingUpdate");
            Absent.put(rolling, "maxUnavailable", "25%");
            Absent.put(rolling, "maxSurge", "25%");
        }
    }

    static void replicaSet(ObjectNode replicaSet) {
        Absent.put(spec(replicaSet), "replicas", 1);
    }

    static void statefulSet(ObjectNode statefulSet) {
        ObjectNode spec = spec(statefulSet);
        Absent.put(spec, "podManagementPolicy", "OrderedReady");
        Absent.put(spec, "replicas", 1);
        Absent.put(spec, "revisionHistoryLimit", HISTORY);
        ObjectNode strategy = spec.withObjectProperty("updateStrategy");
        Absent.put(strategy, "type", ROLLING);
        if (strategy.path("type").asText().equals(ROLLING)) {
            Absent.put(strategy.withObjectProperty("rollingUpdate"), "partition", 0);
        }
        ObjectNode retention = spec.withObjectProperty("persistentVolumeClaimRetentionPolicy");
        Absent.put(retention, "whenDeleted", "Retain");
        Absent.put(retention, "whenScaled", "Retain");
        for (ObjectNode claim : Absent.items(spec.path("volumeClaimTemplates"))) {
            Absent.put(claim, "apiVersion", "v1");
            Absent.put(claim, "kind", "PersistentVolumeClaim");
            Absent.put(claim.withObjectProperty("spec"), "volumeMode", "Filesystem");
            Absent.put(claim.withObjectProperty("status"), "phase", "Pending");
        }
    }

    static void daemonSet(ObjectNode daemonSet) {
        ObjectNode spec = spec(daemonSet);
        Absent.put(spec, "revisionHistoryLimit", HISTORY);
        ObjectNode strategy = spec.withObjectProperty("updateStrategy");
        Absent.put(strategy, "type", ROLLING);
        if (strategy.path("type").asText().equals(ROLLING)) {
            ObjectNode rolling = strategy.withObjectProperty("rollingUpdate");
            Absent.put(rolling, "maxUnavailable", 1);
            Absent.put(rolling, "maxSurge", 0);
        }
    }

    /** The spec of a workload; its template of Pods gets its defaults. */
    private static ObjectNode spec(ObjectNode workload) {
        ObjectNode spec = workload.withObjectProperty("spec");
        if (spec.path("template").path("spec") instanceof ObjectNode template) {
            PodDefaults.template(template);
        }
        return spec;
    }
}
