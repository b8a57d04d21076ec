package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The documents below {@code /openapi}. Each is made on demand. */
public final class OpenApiDocuments {
    /** The type of version 2 as a protobuf message (gnostic's {@code openapi.v2.Document}). */
    public static final String PROTOBUF_2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    /** The clients' name for it. It is no valid type in an answer, because of the at sign. */
    public static final String PROTOBUF_2_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    private static final String TITLE = "Kubernetes";
    private static final String VERSION = "v1.36.0";
    private static final String REFERENCE_3 = "#/components/schemas/";
    private static final int HASH_DIGITS = 32;

    /** The names of the built-in documents, which never change. */
    private static final Set<String> BUILT_IN = Resources.all().stream()
            .map(each -> "3 " + each.basePath().substring(1))
            .collect(Collectors.toUnmodifiableSet());

    private volatile Made made = new Made(Resources.all(), new ConcurrentHashMap<>());

    /** The documents of these kinds. */
    private record Made(List<Resource> kinds, Map<String, byte[]> documents) {}

    /** Version 2 as JSON. */
    public byte[] version2(Kinds kinds) {
        return document(kinds, "2");
    }

    /** Version 2 as protobuf. */
    public byte[] version2Protobuf(Kinds kinds) {
        return document(kinds, "2 protobuf");
    }

    /** The list of the documents of version 3. */
    public byte[] version3(Kinds kinds) {
        return document(kinds, "3");
    }

    /**
     * Version 3 of one group and version.
     *
     * @param path such as {@code apis/apps/v1}
     */
    public Optional<byte[]> version3(Kinds kinds, String path) {
        boolean exists = kinds.all().stream().anyMatch(each -> each.basePath().equals("/" + path));
        return exists ? Optional.of(document(kinds, "3 " + path)) : Optional.empty();
    }

    private byte[] document(Kinds kinds, String name) {
        Map<String, byte[]> documents = documents(kinds.all());
        byte[] present = documents.get(name);
        if (present == null) {
            present = make(kinds, name); // not inside the map's own step: the list of documents asks for the others
            documents.put(name, present);
        }
        return present;
    }

    /** The documents of built-in groups stay when CustomResourceDefinitions change. */
    @SuppressWarnings("ReferenceEquality") // the list of kinds is another one after each change
    private Map<String, byte[]> documents(List<Resource> kinds) {
        Made last = made;
        if (last.kinds() == kinds) {
            return last.documents();
        }
        Map<String, byte[]> kept = new ConcurrentHashMap<>(last.documents());
        kept.keySet().removeIf(name -> !BUILT_IN.contains(name));
        made = new Made(kinds, kept);
        return kept;
    }

    private byte[] make(Kinds kinds, String name) {
        return switch (name) {
            case "2" -> swagger(kinds).toString().getBytes(UTF_8);
            case "2 protobuf" -> SwaggerMessage.of(swagger(kinds));
            case "3" -> index(kinds).toString().getBytes(UTF_8);
            default -> group(kinds, "/" + name.substring(2)).toString().getBytes(UTF_8);
        };
    }

    private static ObjectNode swagger(Kinds kinds) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("swagger", "2.0");
        info(document);
        ObjectNode paths = document.putObject("paths");
        PathSchemas schemas = new PathSchemas(false);
        kinds.all().forEach(each -> schemas.add(paths, each));
        TypeSchemas types = new TypeSchemas(false);
        ObjectNode definitions = types.all();
        kinds.custom().forEach(each -> types.add(definitions, each));
        document.set("definitions", definitions);
        return document;
    }

    /** The address of a document has its hash, so that clients can cache it. */
    private ObjectNode index(Kinds kinds) {
        ObjectNode index = JsonNodeFactory.instance.objectNode();
        ObjectNode paths = index.putObject("paths");
        for (Resource resource : kinds.all()) {
            String path = resource.basePath().substring(1);
            if (!paths.has(path)) {
                String hash = hash(
                        Resources.isBuiltIn(resource)
                                ? document(kinds, "3 " + path)
                                : definitions(kinds, resource).getBytes(UTF_8));
                paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash);
            }
        }
        return index;
    }

    /** The source of a document without built-in kinds: its hash does not need the document itself. */
    private static String definitions(Kinds kinds, Resource member) {
        StringBuilder text = new StringBuilder();
        kinds.custom().stream()
                .filter(each -> each.resource().basePath().equals(member.basePath()))
                .forEach(each -> text.append(each.resource())
                        .append(' ')
                        .append(each.resource().namespaced())
                        .append(' ')
                        .append(each.schema()));
        return text.toString();
    }

    private static ObjectNode group(Kinds kinds, String basePath) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("openapi", "3.0.0");
        info(document);
        ObjectNode paths = document.putObject("paths");
        PathSchemas schemas = new PathSchemas(true);
        kinds.all().stream().filter(each -> each.basePath().equals(basePath)).forEach(each -> schemas.add(paths, each));
        TypeSchemas types = new TypeSchemas(true);
        ObjectNode all = types.all();
        kinds.custom().stream()
                .filter(each -> each.resource().basePath().equals(basePath))
                .forEach(each -> types.add(all, each));
        document.putObject("components").set("schemas", used(paths, all));
        return document;
    }

    /** The types that a document needs. */
    private static ObjectNode used(JsonNode paths, ObjectNode all) {
        Set<String> names = new HashSet<>();
        Deque<JsonNode> open = new ArrayDeque<>(Set.of(paths));
        while (!open.isEmpty()) {
            for (String reference : open.pop().findValuesAsText("$ref")) {
                String name = reference.substring(REFERENCE_3.length());
                if (names.add(name)) {
                    open.push(all.path(name));
                }
            }
        }
        return all.retain(names);
    }

    private static void info(ObjectNode document) {
        document.putObject("info").put("title", TITLE).put("version", VERSION);
    }

    private static String hash(byte[] document) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(document);
            return HexFormat.of().withUpperCase().formatHex(digest).substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
