package dev.nodepath.image;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Objects of Kubernetes in a YAML file. */
final class DeployManifests {
    private final List<HasMetadata> objects;

    private DeployManifests(List<HasMetadata> objects) {
        this.objects = List.copyOf(objects);
    }

    /** Reads a file; a kind that is not in the API is an error. */
    static DeployManifests read(Path file) throws IOException {
        KubernetesSerialization yaml = new KubernetesSerialization();
        List<HasMetadata> objects = new ArrayList<>();
        for (String document : Files.readString(file).split("(?m)^---$", -1)) {
            objects.add(yaml.unmarshal(document, HasMetadata.class));
        }
        return new DeployManifests(objects);
    }

    List<HasMetadata> all() {
        return objects;
    }

    <T extends HasMetadata> List<T> all(Class<T> kind) {
        return objects.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <T extends HasMetadata> T only(Class<T> kind) {
        List<T> found = all(kind);
        if (found.size() != 1) {
            throw new IllegalArgumentException(kind.getSimpleName() + ": " + found.size() + " (expected: 1)");
        }
        return found.get(0);
    }

    /** Fields that are not in the API's types, by their path: the models keep them apart. */
    List<String> unknownFields() {
        return objects.stream()
                .flatMap(object ->
                        unknown(object.getKind() + "/" + object.getMetadata().getName(), object))
                .toList();
    }

    private static Stream<String> unknown(String path, Object value) {
        if (value instanceof Collection<?> list) {
            return list.stream().flatMap(item -> unknown(path + "[]", item));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().flatMap(entry -> unknown(path + "." + entry.getKey(), entry.getValue()));
        }
        if (!value.getClass().getName().startsWith("io.fabric8.kubernetes.api.model.")
                || value.getClass().isEnum()) {
            return Stream.empty();
        }
        return Arrays.stream(value.getClass().getMethods())
                .filter(method -> method.getName().startsWith("get") && method.getParameterCount() == 0)
                .filter(method -> !method.getDeclaringClass().equals(Object.class))
                .flatMap(method -> {
                    Object field;
                    try {
                        field = method.invoke(value);
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(path + "." + method.getName(), e);
                    }
                    if (method.getName().equals("getAdditionalProperties")) {
                        return ((Map<?, ?>) field).keySet().stream().map(name -> path + "." + name);
                    }
                    return field == null
                            ? Stream.empty()
                            : unknown(path + "." + method.getName().substring(3), field);
                });
    }
}
