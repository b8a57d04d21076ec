package dev.nodepath.apiserver.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.WholeNumber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/**
 * Reads an object in Kubernetes' protobuf form: the octets {@code k8s\0}, an envelope with kind and apiVersion
 * (apimachinery {@code runtime.Unknown}), and in it the object.
 *
 * <p>The wire format cannot tell an empty value from an absent one. Empty texts, zeros and false are left out,
 * except for fields in which Kubernetes distinguishes zero from absent.
 */
final class ProtobufBody {
    /** The media type. */
    public static final String CONTENT_TYPE = "application/vnd.kubernetes.protobuf";

    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int DEPTH_MAX = 60;

    /**
     * The most fields in all messages of a body. An empty message has two octets, but takes fifty times as much as a
     * tree.
     */
    private static final int FIELDS_MAX = 500_000;

    private static final Set<String> ZERO_COUNTS = Set.of(
            "replicas",
            "gracePeriodSeconds",
            "terminationGracePeriodSeconds",
            "deletionGracePeriodSeconds",
            "revisionHistoryLimit",
            "tolerationSeconds",
            "runAsUser",
            "runAsGroup",
            "fsGroup",
            "partition",
            "defaultMode",
            "mode",
            "priority",
            "leaseTransitions",
            "automountServiceAccountToken",
            "enableServiceLinks",
            "allowPrivilegeEscalation",
            "privileged",
            "runAsNonRoot",
            "readOnlyRootFilesystem",
            "immutable",
            "optional",
            "allocateLoadBalancerNodePorts",
            "hostUsers",
            "orphanDependents",
            "ready",
            "serving",
            "terminating");

    private final ObjectMapper json;
    private int count;

    private ProtobufBody(ObjectMapper json) {
        this.json = json;
    }

    /**
     * The object as a tree.
     *
     * @throws MalformedMessageException if it is no message, or of an unknown kind
     */
    public static ObjectNode read(byte[] body, ObjectMapper json) {
        if (body.length < MAGIC.length || !Arrays.equals(body, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw new MalformedMessageException("it does not begin with k8s");
        }
        String apiVersion = "";
        String kind = "";
        ByteBuffer raw = ByteBuffer.allocate(0);
        WireReader envelope = new WireReader(ByteBuffer.wrap(body, MAGIC.length, body.length - MAGIC.length));
        while (envelope.next()) {
            if (envelope.number() == 1) {
                WireReader type = new WireReader(envelope.content());
                while (type.next()) {
                    apiVersion = type.number() == 1 ? type.text() : apiVersion;
                    kind = type.number() == 2 ? type.text() : kind;
                }
            } else if (envelope.number() == 2) {
                raw = envelope.content();
            }
        }
        String type = type(apiVersion, kind);
        if (!MessageTypes.has(type)) {
            throw new MalformedMessageException("unknown kind " + kind + " of " + apiVersion);
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("kind", kind).put("apiVersion", apiVersion);
        new ProtobufBody(json).fill(object, raw, type, 0);
        return object;
    }

    private static String type(String apiVersion, String kind) {
        if (kind.equals("DeleteOptions")) {
            return "meta.v1.DeleteOptions";
        }
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "core" : apiVersion.substring(0, slash).replaceFirst("\\..*", "");
        return group + "." + apiVersion.substring(slash + 1) + "." + kind;
    }

    private void fill(ObjectNode into, ByteBuffer message, String type, int depth) {
        if (depth > DEPTH_MAX) {
            throw new MalformedMessageException("more than " + DEPTH_MAX + " levels");
        }
        Map<Integer, MessageTypes.Field> fields = MessageTypes.of(type);
        WireReader reader = new WireReader(message);
        while (reader.next()) {
            if (++count > FIELDS_MAX) {
                throw new MalformedMessageException("more than " + FIELDS_MAX + " fields");
            }
            MessageTypes.Field field = fields.get(reader.number());
            if (field == null) {
                continue;
            }
            if (field.name().equals("*")) {
                fill(into, reader.content(), field.type(), depth + 1);
            } else if (field.map()) {
                entry(into.withObjectProperty(field.name()), reader.content(), field.type(), depth);
            } else if (field.list()) {
                into.withArrayProperty(field.name()).add(value(reader, field.type(), depth));
            } else {
                JsonNode value = value(reader, field.type(), depth);
                if (!isEmpty(value) || ZERO_COUNTS.contains(field.name())) {
                    into.set(field.name(), value);
                }
            }
        }
    }

    private void entry(ObjectNode map, ByteBuffer message, String type, int depth) {
        WireReader reader = new WireReader(message);
        String key = "";
        JsonNode value = map.textNode("");
        while (reader.next()) {
            if (reader.number() == 1) {
                key = reader.text();
            } else if (reader.number() == 2) {
                value = value(reader, type, depth);
            }
        }
        map.set(key, value);
    }

    private JsonNode value(WireReader reader, String type, int depth) {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        return switch (type) {
            case "string" -> nodes.textNode(reader.text());
            case "int" -> WholeNumber.of(reader.value());
            case "bool" -> nodes.booleanNode(reader.value() != 0);
            case "double" -> nodes.numberNode(Double.longBitsToDouble(reader.value()));
            case "bytes" -> nodes.textNode(java.util.Base64.getEncoder().encodeToString(reader.bytes()));
            case "time" -> time(reader.content());
            case "quantity" -> first(reader.content());
            case "intOrString" -> intOrString(reader.content());
            case "json" -> embedded(reader.content());
            default -> {
                ObjectNode object = nodes.objectNode();
                fill(object, reader.content(), type, depth + 1);
                yield object;
            }
        };
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isNull()
                || (value.isTextual() && value.asText().isEmpty())
                || (value.isNumber() && value.asLong() == 0)
                || (value.isBoolean() && !value.asBoolean());
    }

    /** Null if it is no time: the empty message is an absent time. */
    private static JsonNode time(ByteBuffer message) {
        WireReader reader = new WireReader(message);
        long seconds = 0;
        long nanos = 0;
        boolean any = false;
        while (reader.next()) {
            any = true;
            seconds = reader.number() == 1 ? reader.value() : seconds;
            nanos = reader.number() == 2 ? reader.value() : nanos;
        }
        try {
            return any
                    ? JsonNodeFactory.instance.textNode(
                            Instant.ofEpochSecond(seconds, nanos).toString())
                    : JsonNodeFactory.instance.nullNode();
        } catch (DateTimeException | ArithmeticException e) {
            throw new MalformedMessageException("a time out of range");
        }
    }

    private static JsonNode first(ByteBuffer message) {
        WireReader reader = new WireReader(message);
        return JsonNodeFactory.instance.textNode(reader.next() ? reader.text() : "0");
    }

    private static JsonNode intOrString(ByteBuffer message) {
        WireReader reader = new WireReader(message);
        boolean string = false;
        long number = 0;
        String text = "";
        while (reader.next()) {
            switch (reader.number()) {
                case 1 -> string = reader.value() == 1;
                case 2 -> number = reader.value();
                default -> text = reader.text();
            }
        }
        return string ? JsonNodeFactory.instance.textNode(text) : JsonNodeFactory.instance.numberNode((int) number);
    }

    private JsonNode embedded(ByteBuffer message) {
        WireReader reader = new WireReader(message);
        try {
            return reader.next()
                    ? json.readTree(new String(reader.bytes(), StandardCharsets.UTF_8))
                    : JsonNodeFactory.instance.nullNode();
        } catch (JsonProcessingException e) {
            throw new MalformedMessageException("no JSON within: " + e.getOriginalMessage());
        }
    }
}
