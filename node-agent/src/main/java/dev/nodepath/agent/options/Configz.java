package dev.nodepath.agent.options;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** The configuration in force, in the shape of the file, in JSON. */
final class Configz {
    private Configz() {}

    /**
     * The answer of {@code /configz}.
     *
     * @param valueOf the value of an option; null if it has none
     */
    static String json(Function<String, @Nullable Object> valueOf) throws IOException {
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        named.put("kubeproxy.config.k8s.io", tree(valueOf));
        return text(named);
    }

    /**
     * A file that {@link ConfigFile} reads, as YAML.
     *
     * @param valueOf the value of an option; null if it has none
     */
    static String file(Function<String, @Nullable Object> valueOf) {
        Map<String, @Nullable Object> file = new LinkedHashMap<>();
        file.put("apiVersion", ConfigFile.API_VERSION);
        file.put("kind", ConfigFile.KIND);
        file.putAll(tree(valueOf));
        return new Dump(DumpSettings.builder()
                        .setDefaultFlowStyle(FlowStyle.BLOCK)
                        .build())
                .dumpToString(plain(file));
    }

    /** The same with only maps, lists, texts, numbers and truth values; unset values are left out. */
    private static Object plain(Object tree) {
        if (tree instanceof Map<?, ?> map) {
            Map<String, Object> plain = new LinkedHashMap<>();
            map.forEach((name, content) -> {
                Object value = content == null ? Map.of() : plain(content);
                if (!value.equals(Map.of())) {
                    plain.put(String.valueOf(name), value);
                }
            });
            return plain;
        }
        if (tree instanceof Collection<?> items) {
            return items.stream().map(String::valueOf).toList();
        }
        return tree instanceof Boolean || tree instanceof Integer ? tree : tree.toString();
    }

    private static Map<String, @Nullable Object> tree(Function<String, @Nullable Object> valueOf) {
        Map<String, @Nullable Object> tree = new LinkedHashMap<>();
        for (ConfigField field : ConfigField.ALL) {
            String flag = field.flag();
            if (flag != null) {
                Object value = valueOf.apply(flag);
                boolean joined = field.type() == ConfigField.Type.NETWORKS && value instanceof List<?>;
                put(tree, field.path(), joined ? String.join(",", strings(value)) : value);
            }
        }
        return tree;
    }

    private static List<String> strings(@Nullable Object list) {
        return list instanceof List<?> items
                ? items.stream().map(String::valueOf).toList()
                : List.of();
    }

    private static String text(Map<String, @Nullable Object> tree) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            write(json, tree);
        }
        return text.toString();
    }

    @SuppressWarnings("unchecked") // Only maps of this kind are put into the tree below.
    private static void put(Map<String, @Nullable Object> tree, String path, @Nullable Object value) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            tree.put(path, value);
            return;
        }
        Object branch =
                tree.computeIfAbsent(path.substring(0, dot), name -> new LinkedHashMap<String, @Nullable Object>());
        put((Map<String, @Nullable Object>) java.util.Objects.requireNonNull(branch), path.substring(dot + 1), value);
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof Collection<?> items) {
            json.writeStartArray();
            for (Object item : items) {
                json.writeString(String.valueOf(item));
            }
            json.writeEndArray();
        } else if (value instanceof Boolean bool) {
            json.writeBoolean(bool);
        } else if (value instanceof Integer number) {
            json.writeNumber(number);
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }
}
