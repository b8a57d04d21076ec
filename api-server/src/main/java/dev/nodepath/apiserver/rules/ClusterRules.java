package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.StatusException.Cause;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.schema.ObjectDecoder;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.validation.ObjectField;
import dev.nodepath.apiserver.validation.ObjectValidation;
import dev.nodepath.apiserver.validation.SchemaValidation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The rules of a cluster's kinds: defaults, checks, allocation. */
public final class ClusterRules implements ObjectRules {
    private final ServiceAllocation allocation;
    private final DefinitionNames names;
    private final PodReferences references;
    private final ObjectStore store;

    /** Rules for the objects of a store; they follow its Services. */
    public ClusterRules(ObjectStore store) {
        this(store, new Random());
    }

    /** As above. Allocated values come from the given random source. */
    public ClusterRules(ObjectStore store, Random random) {
        this.allocation = new ServiceAllocation(store, random);
        this.names = new DefinitionNames(store);
        this.store = store;
        this.references = new PodReferences(store);
    }

    @Override
    public void admit(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {
        fit(resource, object);
        boolean addsContainers = subresource.equals(Resources.EPHEMERAL_CONTAINERS);
        if (!subresource.isEmpty() && !addsContainers) {
            if (resource.equals(Resources.CERTIFICATE_REQUESTS)) {
                decide(object, before.orElseThrow(), subresource);
            }
            return;
        }
        if (Resources.isBuiltIn(resource)) {
            NullFields.remove(object);
        }
        ObjectDefaults.apply(resource, object);
        if (before.isEmpty()) {
            ObjectDefaults.start(resource, object);
        } else if (resource.equals(Resources.PODS)) {
            PodReferences.keep(object, before.get());
        } else if (resource.equals(Resources.CERTIFICATE_REQUESTS)) {
            keepSpec(object, before.get());
        }
        if (resource.equals(Resources.SERVICES)) {
            ServiceAllocation.prepare(object, before);
        }
        List<Cause> causes = new ArrayList<>();
        ObjectField root = ObjectField.root(object, causes);
        Optional<ObjectField> stored = before.map(old -> ObjectField.root(old, new ArrayList<>()));
        if (addsContainers) {
            ObjectValidation.validateAddedContainers(root, stored.orElseThrow());
        } else {
            ObjectValidation.validate(resource, root, stored);
        }
        refuse(resource, object, causes);
    }

    @Override
    public void allocate(Resource resource, ObjectNode object, Optional<ObjectNode> before, String subresource) {
        if (resource.equals(Resources.SERVICES) && subresource.isEmpty()) {
            List<Cause> causes = new ArrayList<>();
            allocation.allocate(ObjectField.root(object, causes), before);
            refuse(resource, object, causes);
        }
        if (resource.equals(Resources.PODS) && before.isEmpty()) {
            references.resolve(object);
        }
        if (resource.equals(Resources.PERSISTENT_VOLUME_CLAIMS) && subresource.isEmpty() && before.isPresent()) {
            requireExpansion(object, before.get());
        }
        if (resource.equals(Resources.PRIORITY_CLASSES)) {
            references.requireOneDefault(object);
        }
        if (resource.equals(Resources.CUSTOM_RESOURCE_DEFINITIONS) && subresource.isEmpty()) {
            names.accept(object);
        }
    }

    private static void decide(ObjectNode request, ObjectNode before, String subresource) {
        List<Cause> causes = new ArrayList<>();
        ObjectValidation.validateDecision(
                ObjectField.root(request, causes),
                ObjectField.root(before, new ArrayList<>()),
                subresource.equals(Resources.APPROVAL));
        refuse(Resources.CERTIFICATE_REQUESTS, request, causes);
    }

    /** A bound claim may grow only if its class allows expansion. */
    private void requireExpansion(ObjectNode claim, ObjectNode before) {
        if (IgnoredFields.requested(claim).compareTo(IgnoredFields.requested(before)) <= 0) {
            return;
        }
        String name = claim.path("spec").path("storageClassName").asText();
        boolean expands = store.get(Resources.STORAGE_CLASSES, new ObjectKey("", name))
                .filter(each -> each.path("allowVolumeExpansion").asBoolean())
                .isPresent();
        if (!expands) {
            throw StatusException.forbidden(
                    Resources.PERSISTENT_VOLUME_CLAIMS,
                    claim,
                    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must"
                            + " support resize");
        }
    }

    private static void keepSpec(ObjectNode object, ObjectNode before) {
        if (before.has("spec")) {
            object.set("spec", before.get("spec").deepCopy());
        } else {
            object.remove("spec");
        }
    }

    private static void refuse(Resource resource, ObjectNode object, List<Cause> causes) {
        if (!causes.isEmpty()) {
            throw StatusException.invalid(
                    resource, object.path("metadata").path("name").asText(), causes);
        }
    }

    /** Keeps only the fields of the kind, each with a value of its type. The later steps rely on this. */
    private static void fit(Resource resource, ObjectNode object) {
        ObjectNode fitting = ObjectDecoder.decode(resource, object).object();
        object.removeAll();
        object.setAll(fitting);
        if (ClusterPolicyDefinition.isOf(resource)) {
            SchemaValidation.prune(ClusterPolicyDefinition.schema(), object);
        }
    }
}
