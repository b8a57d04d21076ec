package dev.nodepath.apiserver.validation;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.access.ServiceAccountToken;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The volumes of a Pod, claims, PersistentVolumes and StorageClasses. */
final class VolumeValidation {
    private static final int MODE_MAX = 0777;
    private static final String MODE_RULE = "must be a number between 0 and 0777 (octal), both inclusive";
    private static final List<String> FIELDS =
            List.of("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid");

    private static final String RESOURCES = "resources";
    private static final String REQUESTS = "requests";
    private static final String CAPACITY = "capacity";
    private static final String STORAGE = "storage";
    private static final String[] MODES = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"};

    /** Each other field of a PersistentVolume is its source. */
    private static final List<String> NO_SOURCES = List.of(
            "accessModes",
            CAPACITY,
            "claimRef",
            "mountOptions",
            "nodeAffinity",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeAttributesClassName",
            "volumeMode");

    private VolumeValidation() {}

    /** Checks the volumes, and returns their names. */
    static Set<String> validate(ObjectField volumes) {
        Set<String> names = new HashSet<>();
        for (ObjectField volume : volumes.items()) {
            ObjectField name = volume.at("name");
            if (name.require("")) {
                NameFormat.LABEL.check(name);
                if (!names.add(name.text())) {
                    name.duplicate();
                }
            }
            source(volume);
        }
        return names;
    }

    private static void source(ObjectField volume) {
        List<String> sources = new ArrayList<>(volume.names());
        sources.remove("name");
        if (sources.isEmpty()) {
            volume.required("must specify a volume type");
        }
        sources.stream().skip(1).forEach(each -> volume.at(each).forbidden("may not specify more than 1 volume type"));
        if (volume.at("configMap").isPresent()) {
            volume.at("configMap").at("name").require("");
            files(volume.at("configMap"));
        }
        if (volume.at("secret").isPresent()) {
            volume.at("secret").at("secretName").require("");
            files(volume.at("secret"));
        }
        downwardApi(volume.at("downwardAPI"));
        projected(volume.at("projected"));
        ObjectField limit = volume.at("emptyDir").at("sizeLimit");
        if (Quantities.parse(limit.text()).filter(size -> size.signum() < 0).isPresent()) {
            limit.forbidden("SizeLimit field must be a valid resource quantity");
        }
        if (volume.at("hostPath").isPresent()) {
            volume.at("hostPath").at("path").require("");
        }
        ObjectField ephemeral = volume.at("ephemeral");
        if (ephemeral.isPresent()) {
            ObjectField template = ephemeral.at("volumeClaimTemplate");
            if (template.require("")) {
                MetadataValidation.labels(template.at("metadata").at("labels"));
                claim(template.at("spec"));
            }
        }
        if (volume.at("persistentVolumeClaim").isPresent()) {
            volume.at("persistentVolumeClaim").at("claimName").require("");
        }
    }

    /** Each ephemeral volume of a Pod gets a claim. The claim's name begins with the Pod's. */
    static void claimNames(ObjectField pod) {
        String name = pod.at("metadata").at("name").text();
        for (ObjectField volume : pod.at("spec").at("volumes").items()) {
            ObjectField part = volume.at("name");
            if (volume.at("ephemeral").isPresent() && !name.isEmpty() && part.isSet()) {
                String claim = name + "-" + part.text();
                NameFormat.SUBDOMAIN
                        .problems(claim)
                        .forEach(why -> part.invalid("PVC name " + GoText.quote(claim) + ": " + why));
            }
        }
    }

    /**
     * The volume of an existing claim is chosen once. A bound claim may grow; its volume may be larger than the claim.
     */
    static void claim(ObjectField claim, Optional<ObjectField> before) {
        ObjectField spec = claim.at("spec");
        claim(spec);
        if (before.isEmpty()) {
            return;
        }
        ObjectField old = before.get();
        ObjectNode same = spec.value().deepCopy();
        ObjectNode sameBefore = old.at("spec").value().deepCopy();
        for (String once : List.of("volumeName", "storageClassName")) {
            if (!old.at("spec").at(once).isPresent()) {
                same.remove(once);
            }
        }
        if (claim.at("status").at("phase").text().equals("Bound")) {
            for (ObjectNode each : List.of(same, sameBefore)) {
                each.remove("volumeAttributesClassName");
                each.withObjectProperty(RESOURCES).withObjectProperty(REQUESTS).remove(STORAGE);
            }
            ObjectField size = size(spec);
            if (exceeds(size(old.at("spec")), size)
                    && !exceeds(size, old.at("status").at("capacity").at(STORAGE))) {
                size.forbidden("field can not be less than status.capacity");
            }
        }
        if (!same.equals(sameBefore)) {
            spec.forbidden("spec is immutable after creation except resources.requests and"
                    + " volumeAttributesClassName for bound claims");
        }
    }

    private static ObjectField size(ObjectField spec) {
        return spec.at(RESOURCES).at(REQUESTS).at(STORAGE);
    }

    private static boolean exceeds(ObjectField size, ObjectField other) {
        return Quantities.parse(size.text())
                .flatMap(more -> Quantities.parse(other.text()).map(less -> more.compareTo(less) > 0))
                .orElse(false);
    }

    private static void claim(ObjectField spec) {
        NameFormat.SUBDOMAIN.checkIfSet(spec.at("storageClassName"));
        spec.at("volumeMode").oneOf("Block", "Filesystem");
        CommonValidation.selector(spec.at("selector"));
        modes(spec.at("accessModes"), "at least 1 access mode is required");
        ObjectField storage = spec.at(RESOURCES).key(STORAGE).showing(size(spec).value());
        if (storage.require("")) {
            positive(storage);
        }
    }

    private static void modes(ObjectField modes, String none) {
        modes.require(none);
        for (ObjectField mode : modes.items()) {
            modes.showing(mode.value()).oneOf(MODES);
        }
        if (modes.items().size() > 1 && modes.texts().contains("ReadWriteOncePod")) {
            modes.forbidden("may not use ReadWriteOncePod with other access modes");
        }
    }

    private static void positive(ObjectField quantity) {
        Optional<BigDecimal> size = Quantities.parse(quantity.text());
        if (size.isEmpty()) {
            quantity.invalid(Quantities.RULE);
        } else if (size.get().signum() <= 0) {
            quantity.invalid("must be greater than zero");
        }
    }

    /** A PersistentVolume. Its source must stay. */
    static void volume(ObjectField volume, Optional<ObjectField> before) {
        ObjectField spec = volume.at("spec");
        modes(spec.at("accessModes"), "");
        ObjectField capacity = spec.at(CAPACITY);
        capacity.require("");
        if (!capacity.names().equals(List.of(STORAGE))) {
            (capacity.isPresent() ? capacity : capacity.showing(NullNode.getInstance())).unsupported(List.of(STORAGE));
        }
        capacity.names().forEach(each -> positive(capacity.key(each)));
        spec.at("persistentVolumeReclaimPolicy").oneOf("Delete", "Recycle", "Retain");
        List<String> sources = sources(spec);
        if (sources.isEmpty()) {
            spec.required("must specify a volume type");
        }
        sources.stream().skip(1).forEach(each -> spec.at(each).forbidden("may not specify more than 1 volume type"));
        NameFormat.SUBDOMAIN.checkIfSet(spec.at("storageClassName"));
        spec.at("volumeMode").oneOf("Block", "Filesystem");
        before.map(old -> old.at("spec")).ifPresent(old -> {
            if (!((ObjectNode) spec.value().deepCopy())
                    .without(NO_SOURCES)
                    .equals(((ObjectNode) old.value().deepCopy()).without(NO_SOURCES))) {
                spec.at("persistentvolumesource").forbidden("spec.persistentvolumesource is immutable after creation");
            }
            CommonValidation.immutable(
                    volume.at("volumeMode").showing(spec.at("volumeMode").value()), old.at("volumeMode"));
        });
    }

    private static List<String> sources(ObjectField spec) {
        return spec.names().stream().filter(each -> !NO_SOURCES.contains(each)).toList();
    }

    /** The provisioner of a class and its parameters must stay. */
    static void storageClass(ObjectField object, Optional<ObjectField> before) {
        ObjectField provisioner = object.at("provisioner");
        if (provisioner.require("")) {
            provisioner.invalid(NameFormat.qualifiedProblems(provisioner.text().toLowerCase(Locale.ROOT)));
        }
        object.at("reclaimPolicy").oneOf("Delete", "Retain");
        object.at("volumeBindingMode").oneOf("Immediate", "WaitForFirstConsumer");
        before.ifPresent(old -> {
            for (String field : List.of("parameters", "provisioner", "reclaimPolicy")) {
                if (!object.at(field).value().equals(old.at(field).value())) {
                    object.at(field).forbidden("updates to " + field + " are forbidden.");
                }
            }
            CommonValidation.immutable(object.at("volumeBindingMode"), old.at("volumeBindingMode"));
        });
    }

    private static void files(ObjectField source) {
        mode(source.at("defaultMode"));
        for (ObjectField item : source.at("items").items()) {
            item.at("key").require("");
            if (item.at("path").require("")) {
                localPath(item.at("path"));
            }
            mode(item.at("mode"));
        }
    }

    private static void downwardApi(ObjectField source) {
        mode(source.at("defaultMode"));
        for (ObjectField item : source.at("items").items()) {
            if (item.at("path").require("")) {
                localPath(item.at("path"));
            }
            mode(item.at("mode"));
            EnvironmentValidation.fieldRef(item.at("fieldRef"), FIELDS);
            EnvironmentValidation.resourceFieldRef(item.at("resourceFieldRef"));
            if (item.at("fieldRef").isPresent() && item.at("resourceFieldRef").isPresent()) {
                item.invalid("", "fieldRef and resourceFieldRef can not be specified simultaneously");
            } else if (!item.at("fieldRef").isPresent()
                    && !item.at("resourceFieldRef").isPresent()) {
                item.required("one of fieldRef and resourceFieldRef is required");
            }
        }
    }

    private static void projected(ObjectField projected) {
        mode(projected.at("defaultMode"));
        for (ObjectField source : projected.at("sources").items()) {
            for (String kind : List.of("configMap", "secret")) {
                if (source.at(kind).isPresent()) {
                    source.at(kind).at("name").require("");
                    files(source.at(kind));
                }
            }
            downwardApi(source.at("downwardAPI"));
            if (source.at("serviceAccountToken").isPresent()) {
                token(source.at("serviceAccountToken"));
            }
            source.names().stream()
                    .skip(1)
                    .forEach(each -> source.at(each).forbidden("may not specify more than 1 volume type"));
        }
    }

    private static void token(ObjectField token) {
        token.at("path").require("");
        localPath(token.at("path"));
        ObjectField life = token.at("expirationSeconds");
        if (life.number() < ServiceAccountToken.SECONDS_MIN) {
            life.invalid("may not specify a duration less than 10 minutes");
        } else if (life.number() > ServiceAccountToken.SECONDS_MAX) {
            life.invalid("may not specify a duration larger than 2^32 seconds");
        }
    }

    private static void mode(ObjectField mode) {
        if (mode.number() < 0 || mode.number() > MODE_MAX) {
            mode.invalid(MODE_RULE);
        }
    }

    /** A path that does not leave its volume. */
    static void localPath(ObjectField path) {
        if (path.text().startsWith("/")) {
            path.invalid("must be a relative path");
        }
        if (List.of(path.text().split("/")).contains("..")) {
            path.invalid("must not contain '..'");
        }
    }
}
