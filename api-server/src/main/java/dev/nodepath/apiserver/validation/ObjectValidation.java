package dev.nodepath.apiserver.validation;

import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Optional;

/** The checks of every kind. */
public final class ObjectValidation {
    private ObjectValidation() {}

    /** Checks an object that has its defaults. Complaints go to the list of the field. */
    public static void validate(Resource resource, ObjectField object, Optional<ObjectField> before) {
        MetadataValidation.validate(resource, object, before);
        if (!Resources.isBuiltIn(resource)) {
            if (ClusterPolicyDefinition.isOf(resource)) {
                ClusterPolicyValidation.validate(object);
            }
            return;
        }
        switch (resource.kind()) {
            case "Service" -> ServiceValidation.validate(object, before);
            case "Pod" -> {
                PodValidation.validate(object.at("spec"));
                before.ifPresentOrElse(
                        old -> PodUpdateValidation.validate(object.at("spec"), old.at("spec")),
                        () -> PodValidation.validateNew(object));
            }
            case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet" ->
                WorkloadValidation.validate(resource.kind(), object, before);
            case "Job" -> JobValidation.validate(object, before);
            case "EndpointSlice" -> EndpointValidation.slice(object, before);
            case "Endpoints" -> EndpointValidation.endpoints(object);
            case "ConfigMap" -> DataValidation.configMap(object, before);
            case "Secret" -> DataValidation.secret(object, before);
            case "PersistentVolumeClaim" -> VolumeValidation.claim(object, before);
            case "PersistentVolume" -> VolumeValidation.volume(object, before);
            case "StorageClass" -> VolumeValidation.storageClass(object, before);
            case "Role", "ClusterRole" -> AccessValidation.role(object, resource.namespaced());
            case "RoleBinding", "ClusterRoleBinding" -> before.ifPresent(old -> AccessValidation.binding(object, old));
            case "Node" -> ClusterValidation.node(object, before);
            case "PriorityClass" -> ClusterValidation.priorityClass(object, before);
            case "Lease" -> ClusterValidation.lease(object);
            case "ServiceCIDR" -> ClusterValidation.serviceCidr(object, before);
            case "CustomResourceDefinition" -> DefinitionValidation.validate(object, before);
            case "NetworkPolicy" -> ClusterValidation.networkPolicy(object);
            default -> {}
        }
    }

    /**
     * Checks a request for a certificate whose status changes.
     *
     * @param decides whether the request approves or denies it
     */
    public static void validateDecision(ObjectField request, ObjectField before, boolean decides) {
        AccessValidation.decision(request, before, decides);
    }

    /** Checks a running Pod after containers were added. */
    public static void validateAddedContainers(ObjectField pod, ObjectField before) {
        PodValidation.validate(pod.at("spec"));
        PodUpdateValidation.ephemeralContainers(pod.at("spec"), before.at("spec"));
    }
}
