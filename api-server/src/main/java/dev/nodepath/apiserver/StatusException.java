package dev.nodepath.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.resource.Resource;
import java.util.List;

/**
 * An operation was refused. It holds what Kubernetes puts into a {@code Status} object
 * (apimachinery {@code meta/v1.Status}).
 */
public final class StatusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * One reason of a refusal.
     *
     * @param reason such as {@code FieldValueInvalid}
     * @param message in words
     * @param field such as {@code spec.ports[0].port}
     */
    public record Cause(String reason, String message, String field) {}

    private final int code;
    private final String reason;
    private final String group;
    private final String kind;
    private final String name;
    private final transient List<Cause> causes;

    /**
     * A refusal.
     *
     * @param code of HTTP
     * @param reason such as {@code NotFound}
     * @param group of {@code details}
     * @param kind of {@code details}: the plural name for a missing object, the kind for an invalid one
     * @param name of {@code details}
     */
    public StatusException(
            int code, String reason, String message, String group, String kind, String name, List<Cause> causes) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.group = group;
        this.kind = kind;
        this.name = name;
        this.causes = List.copyOf(causes);
    }

    /** A rule of the cluster forbids it. */
    public static StatusException forbidden(Resource resource, String name, String why) {
        String message = resource.qualifiedName() + " \"" + name + "\" is forbidden: " + why;
        return of(403, "Forbidden", message, resource, name);
    }

    /**
     * As above, for a new object. A generated name is shown as its prefix. Kubernetes generates the name later, so its
     * complaints about the Pods of one set are alike.
     */
    public static StatusException forbidden(Resource resource, JsonNode object, String why) {
        String name = object.at("/metadata/name").asText();
        String prefix = object.at("/metadata/generateName").asText();
        boolean made = !prefix.isEmpty()
                && name.startsWith(prefix)
                && name.length() == prefix.length() + ClusterApi.SUFFIX_LENGTH;
        return forbidden(resource, made ? prefix : name, why);
    }

    /** There is no such object. */
    public static StatusException notFound(Resource resource, String name) {
        return of(404, "NotFound", resource.qualifiedName() + " \"" + name + "\" not found", resource, name);
    }

    /** There is such an object already. */
    public static StatusException alreadyExists(Resource resource, String name) {
        return of(409, "AlreadyExists", resource.qualifiedName() + " \"" + name + "\" already exists", resource, name);
    }

    /** The object has changed since the client read it. */
    public static StatusException conflict(Resource resource, String name, String why) {
        return of(
                409,
                "Conflict",
                "Operation cannot be fulfilled on " + resource.qualifiedName() + " \"" + name + "\": " + why,
                resource,
                name);
    }

    /** The request is not valid. */
    public static StatusException badRequest(String message) {
        return new StatusException(400, "BadRequest", message, "", "", "", List.of());
    }

    /** The request, or the object that it makes, is too large. */
    public static StatusException tooLarge(String message) {
        return new StatusException(
                413, "RequestEntityTooLarge", "Request entity too large: " + message, "", "", "", List.of());
    }

    /** All objects together have reached the size limit. */
    public static StatusException noRoom(String message) {
        return new StatusException(507, "InsufficientStorage", message, "", "", "", List.of());
    }

    /** The object breaks rules of its kind; the message lists every cause as Kubernetes does. */
    public static StatusException invalid(Resource resource, String name, List<Cause> causes) {
        List<String> parts = causes.stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
        String list = parts.size() == 1 ? parts.get(0) : "[" + String.join(", ", parts) + "]";
        return new StatusException(
                422,
                "Invalid",
                resource.kind() + (resource.group().isEmpty() ? "" : "." + resource.group()) + " \"" + name
                        + "\" is invalid: " + list,
                resource.group(),
                resource.kind(),
                name,
                causes);
    }

    private static StatusException of(int code, String reason, String message, Resource resource, String name) {
        return new StatusException(code, reason, message, resource.group(), resource.plural(), name, List.of());
    }

    /** The code of HTTP. */
    public int code() {
        return code;
    }

    /** The reason, in one word. */
    public String reason() {
        return reason;
    }

    /** The group of {@code details}. */
    public String group() {
        return group;
    }

    /** The kind of {@code details}. */
    public String kind() {
        return kind;
    }

    /** The name of {@code details}. */
    public String name() {
        return name;
    }

    /** The causes of {@code details}. */
    public List<Cause> causes() {
        return causes;
    }
}
