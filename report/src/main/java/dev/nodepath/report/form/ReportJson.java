package dev.nodepath.report.form;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.MutableCoercionConfig;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.nodepath.report.Report;
import dev.nodepath.report.ReportException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Writes a report as JSON and reads it again. A record's components are the JSON's fields. Medians, ratios and other
 * derived values are written for other programs, and are computed again from the samples when a report is read.
 */
public final class ReportJson {
    private static final String SCHEMA = "schema";

    /** The most characters of a wrong value in an error. */
    private static final int SEEN_MAX = 80;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .addModules(new Jdk8Module(), new JavaTimeModule(), new NullableDoubles())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .withCoercionConfig(LogicalType.Textual, ReportJson::refuseScalars)
            .withCoercionConfig(LogicalType.Boolean, ReportJson::refuseScalars)
            .defaultPrettyPrinter(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")))
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private ReportJson() {}

    /** The report as text that ends with a line feed; a value that is not finite becomes {@code null}. */
    public static String write(Report report) {
        try {
            ObjectNode json = MAPPER.createObjectNode().put(SCHEMA, Report.SCHEMA);
            json.setAll((ObjectNode) MAPPER.valueToTree(report));
            return MAPPER.writeValueAsString(json) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a report that JSON cannot hold", e);
        }
    }

    /**
     * Reads a report.
     *
     * @param place the file's name, for errors
     * @throws ReportException if the text is not a report of this schema version; it names the field
     */
    public static Report read(String place, String text) throws ReportException {
        JsonNode json = parse(place, text);
        JsonNode schema = json.path(SCHEMA);
        if (schema.asInt() != Report.SCHEMA) {
            throw new ReportException(
                    place + ": schema version " + (schema.isMissingNode() ? "missing" : schema.asText())
                            + " (expected: " + Report.SCHEMA + "); run the same again with this version of Nodepath");
        }
        try {
            return MAPPER.treeToValue(json, Report.class);
        } catch (JsonMappingException e) {
            throw new ReportException(place + ": " + reason(json, e));
        } catch (JsonProcessingException e) {
            throw new ReportException(place + ": " + e.getOriginalMessage());
        }
    }

    private static JsonNode parse(String place, String text) throws ReportException {
        JsonNode json;
        try {
            json = MAPPER.readTree(text);
        } catch (JsonProcessingException e) {
            throw new ReportException(place + ": line " + e.getLocation().getLineNr() + ": " + e.getOriginalMessage()
                    + " (expected: JSON)");
        }
        if (!json.isObject()) {
            throw new ReportException(place + ": no JSON object (expected: a report)");
        }
        return json;
    }

    /** An error that names the field, its value, and the expected value. */
    private static String reason(JsonNode json, JsonMappingException error) {
        StringBuilder path = new StringBuilder();
        JsonNode seen = json;
        for (JsonMappingException.Reference step : error.getPath()) {
            if (step.getFieldName() == null) {
                path.append('[').append(step.getIndex()).append(']');
                seen = seen.path(step.getIndex());
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
                seen = seen.path(step.getFieldName());
            }
        }
        if (error.getCause() instanceof IllegalArgumentException cause) {
            return path + ": " + cause.getMessage();
        }
        String value = seen.isMissingNode() ? "missing" : seen.toString();
        return path + ": " + (value.length() > SEEN_MAX ? value.substring(0, SEEN_MAX) + "..." : value) + " (expected: "
                + expected(error instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null) + ")";
    }

    private static void refuseScalars(MutableCoercionConfig config) {
        for (CoercionInputShape shape : CoercionInputShape.values()) {
            config.setCoercion(shape, CoercionAction.Fail);
        }
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "a value";
        }
        if (type == String.class) {
            return "a text";
        }
        if (type == boolean.class) {
            return "true or false";
        }
        if (type == Instant.class) {
            return "a time such as 2026-11-20T10:00:00Z";
        }
        if (type.isEnum()) {
            return "one of " + Arrays.toString(type.getEnumConstants());
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type.isPrimitive() || Number.class.isAssignableFrom(type) ? "a number" : "an object";
    }
}
