package dev.nodepath.apiserver.schema;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.APIServiceList;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.ComponentStatusList;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.EndpointsList;
import io.fabric8.kubernetes.api.model.EventList;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LimitRangeList;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.NamespaceList;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimList;
import io.fabric8.kubernetes.api.model.PersistentVolumeList;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodTemplateList;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ReplicationControllerList;
import io.fabric8.kubernetes.api.model.ResourceQuotaList;
import io.fabric8.kubernetes.api.model.SecretList;
import io.fabric8.kubernetes.api.model.ServiceAccountList;
import io.fabric8.kubernetes.api.model.ServiceList;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingAdmissionPolicyBindingList;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingAdmissionPolicyList;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationList;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingList;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyList;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationList;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionList;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionList;
import io.fabric8.kubernetes.api.model.apps.DaemonSetList;
import io.fabric8.kubernetes.api.model.apps.DeploymentList;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetList;
import io.fabric8.kubernetes.api.model.apps.StatefulSetList;
import io.fabric8.kubernetes.api.model.autoscaling.v1.Scale;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerList;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobList;
import io.fabric8.kubernetes.api.model.batch.v1.JobList;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestList;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseList;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceList;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchemaList;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfigurationList;
import io.fabric8.kubernetes.api.model.networking.v1.IPAddressList;
import io.fabric8.kubernetes.api.model.networking.v1.IngressClassList;
import io.fabric8.kubernetes.api.model.networking.v1.IngressList;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyList;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRList;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassList;
import io.fabric8.kubernetes.api.model.policy.v1.Eviction;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetList;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingList;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleList;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingList;
import io.fabric8.kubernetes.api.model.rbac.RoleList;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassList;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimList;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateList;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceList;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassList;
import io.fabric8.kubernetes.api.model.storage.CSIDriverList;
import io.fabric8.kubernetes.api.model.storage.CSINodeList;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacityList;
import io.fabric8.kubernetes.api.model.storage.StorageClassList;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachmentList;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClassList;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The schema's file as fabric8's model classes have it. */
final class ModelSchema {
    private static final String MODEL = "io.fabric8.kubernetes.api.model.";
    private static final List<Class<?>> ROOTS = List.of(
            NamespaceList.class,
            NodeList.class,
            PodList.class,
            ServiceList.class,
            EndpointsList.class,
            ConfigMapList.class,
            SecretList.class,
            ServiceAccountList.class,
            EventList.class,
            io.fabric8.kubernetes.api.model.events.v1.EventList.class,
            EndpointSliceList.class,
            LeaseList.class,
            DeploymentList.class,
            ReplicaSetList.class,
            StatefulSetList.class,
            DaemonSetList.class,
            ControllerRevisionList.class,
            ServiceCIDRList.class,
            NetworkPolicyList.class,
            ComponentStatusList.class,
            LimitRangeList.class,
            PersistentVolumeClaimList.class,
            PersistentVolumeList.class,
            PodTemplateList.class,
            ReplicationControllerList.class,
            ResourceQuotaList.class,
            MutatingAdmissionPolicyList.class,
            MutatingAdmissionPolicyBindingList.class,
            MutatingWebhookConfigurationList.class,
            ValidatingAdmissionPolicyList.class,
            ValidatingAdmissionPolicyBindingList.class,
            ValidatingWebhookConfigurationList.class,
            CustomResourceDefinitionList.class,
            APIServiceList.class,
            HorizontalPodAutoscalerList.class,
            CronJobList.class,
            JobList.class,
            CertificateSigningRequestList.class,
            FlowSchemaList.class,
            PriorityLevelConfigurationList.class,
            IngressList.class,
            IngressClassList.class,
            IPAddressList.class,
            RuntimeClassList.class,
            PodDisruptionBudgetList.class,
            ClusterRoleBindingList.class,
            ClusterRoleList.class,
            RoleBindingList.class,
            RoleList.class,
            DeviceClassList.class,
            ResourceClaimList.class,
            ResourceClaimTemplateList.class,
            ResourceSliceList.class,
            PriorityClassList.class,
            CSIDriverList.class,
            CSINodeList.class,
            CSIStorageCapacityList.class,
            StorageClassList.class,
            VolumeAttachmentList.class,
            VolumeAttributesClassList.class,
            io.fabric8.kubernetes.api.model.autoscaling.v1.HorizontalPodAutoscalerList.class,
            Scale.class,
            Binding.class,
            Eviction.class,
            Status.class,
            DeleteOptions.class);
    /** The types of apimachinery, which the models list among those of the core group. */
    private static final Set<String> META = Set.of(
            "Condition",
            "DeleteOptions",
            "LabelSelector",
            "LabelSelectorRequirement",
            "ListMeta",
            "ManagedFieldsEntry",
            "ObjectMeta",
            "OwnerReference",
            "Preconditions",
            "Status",
            "StatusCause",
            "StatusDetails");

    private static final Pattern TIMES = Pattern.compile(".*(Time|Timestamp|edAt)|time|timeAdded");
    private static final Map<Class<?>, String> SCALARS = Map.ofEntries(
            Map.entry(String.class, "string"),
            Map.entry(Integer.class, "int32"),
            Map.entry(Long.class, "int64"),
            Map.entry(Boolean.class, "boolean"),
            Map.entry(IntOrString.class, "intOrString"),
            Map.entry(Quantity.class, "quantity"),
            Map.entry(MicroTime.class, "microTime"),
            Map.entry(ZonedDateTime.class, "microTime"),
            Map.entry(FieldsV1.class, "object"),
            // A schema contains itself, and its content does not matter here.
            Map.entry(JSONSchemaProps.class, "object"),
            Map.entry(Object.class, "object"));

    private final Map<String, String> types = new TreeMap<>();

    private ModelSchema() {}

    /** The text of the file. */
    static String text() {
        ModelSchema schema = new ModelSchema();
        ROOTS.forEach(schema::name);
        return String.join("\n", schema.types.values());
    }

    private String name(Class<?> type) {
        String name = nameOf(type);
        if (!types.containsKey(name)) {
            types.put(name, "");
            StringBuilder text = new StringBuilder(name).append('\n');
            Map<String, String> fields = new TreeMap<>();
            for (Field field : type.getDeclaredFields()) {
                JsonProperty property = field.getAnnotation(JsonProperty.class);
                if (property != null) {
                    fields.put(property.value(), field(name, property.value(), field.getGenericType()));
                }
            }
            fields.forEach((field, its) ->
                    text.append("  ").append(field).append(' ').append(its).append('\n'));
            types.put(name, text.toString());
        }
        return name;
    }

    private static String nameOf(Class<?> type) {
        String simple = type.getSimpleName();
        String group = type.getPackageName().substring(MODEL.length() - 1).replaceFirst("^\\.", "");
        if (simple.startsWith("APIService")) {
            return "apiregistration.v1." + simple;
        }
        if (group.isEmpty()) {
            return (META.contains(simple) ? "meta.v1." : "core.v1.") + simple;
        }
        return (group.contains(".") ? group : group + ".v1") + "." + simple;
    }

    private String field(String owner, String name, Type type) {
        if (type instanceof ParameterizedType generic) {
            Type[] arguments = generic.getActualTypeArguments();
            Type inner = arguments[arguments.length - 1];
            // A map of lists has no type here: it is any JSON.
            String element = inner instanceof ParameterizedType ? "object" : field(owner, name, inner);
            return generic.getRawType().equals(List.class) ? "[]" + element : "{}" + element;
        }
        if (type.equals(String.class)) {
            return text(owner, name);
        }
        String scalar = SCALARS.get((Class<?>) type);
        return scalar == null ? name((Class<?>) type) : scalar;
    }

    /** Texts in the models that are more than texts in Kubernetes. */
    private static String text(String owner, String name) {
        if (TIMES.matcher(name).matches()) {
            return "time";
        }
        boolean bytes = (owner.equals("core.v1.Secret") && name.equals("data")) || name.equals("binaryData");
        return bytes ? "bytes" : "string";
    }
}
