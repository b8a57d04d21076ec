package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The fields of every kind, as Kubernetes has them: the files {@code types.txt} and {@code traits.txt}. */
public final class Schema {
    private static final Schema KUBERNETES = read();
    /** Objects of custom kinds: only their metadata have known fields, and all other fields stay as they are. */
    private static final StructType CUSTOM = new StructType(
            "custom.v1.Object",
            Map.of(
                    "apiVersion", FieldType.parse("string"),
                    "kind", FieldType.parse("string"),
                    "metadata", FieldType.parse("meta.v1.ObjectMeta")),
            Map.of(),
            Traits.NONE);

    private final Map<String, StructType> types;

    private Schema(Map<String, StructType> types) {
        this.types = types;
    }

    /** The types of Kubernetes 1.36. */
    public static Schema kubernetes() {
        return KUBERNETES;
    }

    /** The type of a kind's objects. */
    public StructType of(Resource resource) {
        if (!Resources.isBuiltIn(resource)) {
            return CUSTOM;
        }
        return type(nameOf(resource)).orElseThrow(() -> new IllegalArgumentException("no type of " + resource));
    }

    /** A type by its name, such as {@code core.v1.ServicePort}. */
    public Optional<StructType> type(String name) {
        return name.equals(CUSTOM.name()) ? Optional.of(CUSTOM) : Optional.ofNullable(types.get(name));
    }

    /** Whether objects of a type may have unknown fields. */
    static boolean isOpen(StructType type) {
        return type.equals(CUSTOM);
    }

    /** All types, sorted by name. */
    public List<StructType> types() {
        return List.copyOf(types.values());
    }

    /** The name of the type of a kind's objects: {@code discovery.k8s.io/v1} is {@code discovery.v1} here. */
    private static String nameOf(Resource resource) {
        String group = resource.group().isEmpty() ? "core" : resource.group();
        return group.replaceFirst("\\..*", "") + "." + resource.version() + "." + resource.kind();
    }

    private static Schema read() {
        Map<String, Map<String, FieldType>> fields = new TreeMap<>();
        Map<String, FieldType> current = new TreeMap<>();
        for (String line : lines("types.txt")) {
            List<String> words = Traits.words(line);
            if (line.startsWith(" ")) {
                current.put(words.get(0), FieldType.parse(words.get(1)));
            } else {
                current = fields.computeIfAbsent(words.get(0), name -> new TreeMap<>());
            }
        }
        Map<String, Traits> traits = traits();
        Map<String, StructType> types = new TreeMap<>();
        fields.forEach((name, its) -> {
            Map<String, Traits> ofFields = new HashMap<>();
            its.keySet().stream()
                    .filter(field -> traits.containsKey(name + "." + field))
                    .forEach(field -> ofFields.put(field, traits.remove(name + "." + field)));
            types.put(
                    name,
                    new StructType(
                            name,
                            its,
                            ofFields,
                            Optional.ofNullable(traits.remove(name)).orElse(Traits.NONE)));
        });
        if (!traits.isEmpty()) {
            throw new IllegalStateException("traits of unknown fields: " + traits.keySet());
        }
        return new Schema(types);
    }

    private static Map<String, Traits> traits() {
        Map<String, Traits> traits = new HashMap<>();
        for (String line : lines("traits.txt")) {
            List<String> words = Traits.words(line);
            traits.put(words.get(0), Traits.parse(new HashSet<>(words.subList(1, words.size()))));
        }
        return traits;
    }

    private static List<String> lines(String file) {
        try (InputStream in = Schema.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + file);
            }
            List<String> lines =
                    new ArrayList<>(new String(in.readAllBytes(), UTF_8).lines().toList());
            lines.removeIf(line -> line.isBlank() || line.startsWith("#"));
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
