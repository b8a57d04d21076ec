package dev.nodepath.apiserver.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The documents below {@code /openapi}. Each is made when it is first asked for. */
public final class OpenApiDocuments {
    /** The type of version 2 as a protobuf message (gnostic's {@code openapi.v2.Document}). */
    public static final String PROTOBUF_2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

    /** The name by which clients ask for it. It is no valid type in an answer, because of the at sign. */
    public static final String PROTOBUF_2_ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    private static final String TITLE = "Kubernetes";
    private static final String VERSION = "v1.36.0";
    private static final String REFERENCE_3 = "#/components/schemas/";
    private static final int HASH_DIGITS = 32;

    private final Map<String, byte[]> documents = new ConcurrentHashMap<>();

    /** Version 2 as JSON. */
    public byte[] version2() {
        return document("2");
    }

    /** Version 2 as protobuf. */
    public byte[] version2Protobuf() {
        return document("2 protobuf");
    }

    /** The list of the documents of version 3. */
    public byte[] version3() {
        return document("3");
    }

    /**
     * Version 3 of one group and version.
     *
     * @param path such as {@code apis/apps/v1}
     */
    public Optional<byte[]> version3(String path) {
        boolean exists =
                Resources.all().stream().anyMatch(each -> each.basePath().equals("/" + path));
        return exists ? Optional.of(document("3 " + path)) : Optional.empty();
    }

    private byte[] document(String name) {
        byte[] present = documents.get(name);
        if (present == null) {
            present = make(name); // not inside the map's own step: the list of documents asks for the others
            documents.put(name, present);
        }
        return present;
    }

    private byte[] make(String name) {
        return switch (name) {
            case "2" -> swagger().toString().getBytes(UTF_8);
            case "2 protobuf" -> SwaggerMessage.of(swagger());
            case "3" -> index().toString().getBytes(UTF_8);
            default -> group("/" + name.substring(2)).toString().getBytes(UTF_8);
        };
    }

    private static ObjectNode swagger() {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("swagger", "2.0");
        info(document);
        ObjectNode paths = document.putObject("paths");
        PathSchemas schemas = new PathSchemas(false);
        Resources.all().forEach(each -> schemas.add(paths, each));
        document.set("definitions", new TypeSchemas(false).all());
        return document;
    }

    /** The address of a document has its hash, by which clients keep it. */
    private ObjectNode index() {
        ObjectNode index = JsonNodeFactory.instance.objectNode();
        ObjectNode paths = index.putObject("paths");
        for (Resource resource : Resources.all()) {
            String path = resource.basePath().substring(1);
            if (!paths.has(path)) {
                String hash = hash(document("3 " + path));
                paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path + "?hash=" + hash);
            }
        }
        return index;
    }

    private static ObjectNode group(String basePath) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("openapi", "3.0.0");
        info(document);
        ObjectNode paths = document.putObject("paths");
        PathSchemas schemas = new PathSchemas(true);
        Resources.all().stream()
                .filter(each -> each.basePath().equals(basePath))
                .forEach(each -> schemas.add(paths, each));
        document.putObject("components").set("schemas", used(paths, new TypeSchemas(true).all()));
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
