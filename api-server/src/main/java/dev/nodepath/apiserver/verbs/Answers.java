package dev.nodepath.apiserver.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.CustomKind;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.form.JsonForm;
import dev.nodepath.apiserver.form.MetadataForm;
import dev.nodepath.apiserver.form.ObjectForm;
import dev.nodepath.apiserver.form.ObjectTable;
import dev.nodepath.apiserver.form.TableForm;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.request.MediaForm;
import dev.nodepath.apiserver.request.StatusBody;
import dev.nodepath.apiserver.request.YamlText;
import dev.nodepath.apiserver.resource.Resource;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;

/** Makes answers in a form that the client accepts. */
final class Answers {
    private final Kinds kinds;
    private final InstantSource clock;

    Answers(Kinds kinds, InstantSource clock) {
        this.kinds = kinds;
        this.clock = clock;
    }

    /** The form of objects of a kind. */
    ObjectForm form(ApiRequest request, Resource resource) {
        return switch (MediaForm.of(request.header("accept"))) {
            case TABLE ->
                new TableForm(resource, kinds.custom(resource).map(CustomKind::columns), include(request), clock);
            case METADATA -> new MetadataForm();
            default -> new JsonForm(resource);
        };
    }

    ApiResponse.Document object(
            ApiRequest request, int code, Resource resource, ObjectNode stored, List<String> warnings) {
        return tree(request, code, form(request, resource).one(stored), warnings);
    }

    static ApiResponse.Document tree(ApiRequest request, int code, ObjectNode tree, List<String> warnings) {
        return MediaForm.of(request.header("accept")) == MediaForm.YAML
                ? new ApiResponse.Document(
                        code, "application/yaml", YamlText.of(tree).getBytes(StandardCharsets.UTF_8), warnings)
                : new ApiResponse.Document(code, ApiResponse.JSON, Json.bytes(tree), warnings);
    }

    static ApiResponse.Document refusal(StatusException refusal) {
        return new ApiResponse.Document(refusal.code(), ApiResponse.JSON, Json.bytes(StatusBody.of(refusal)));
    }

    private static ObjectTable.Include include(ApiRequest request) {
        String asked = request.query().text("includeObject");
        return switch (asked) {
            case "None" -> ObjectTable.Include.NONE;
            case "", "Metadata" -> ObjectTable.Include.METADATA;
            case "Object" -> ObjectTable.Include.OBJECT;
            default ->
                throw StatusException.badRequest("includeObject: Unsupported value: \"" + asked
                        + "\": supported values: \"None\", \"Metadata\", \"Object\"");
        };
    }
}
