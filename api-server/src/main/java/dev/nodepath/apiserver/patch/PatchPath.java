package dev.nodepath.apiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.validation.GoText;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A path of a JSON patch in the tree that it is for. Errors are in the words of evanphx/json-patch, which is
 * kube-apiserver's. As there, an index below zero counts from the end of its list.
 */
final class PatchPath {
    private final String operation;
    private final String path;

    /** Whether an operation reads here, or puts something there. */
    private final boolean destination;

    private PatchPath(String operation, String path, boolean destination) {
        this.operation = operation;
        this.path = path;
        this.destination = destination;
    }

    /**
     * Where an operation reads, removes or replaces.
     *
     * @return the path with indexes that count from the start
     * @throws dev.nodepath.apiserver.StatusException 422 if nothing is there
     */
    static String present(JsonNode tree, String operation, String path) {
        return new PatchPath(operation, path, false).resolve(tree);
    }

    /** Where an operation adds: as {@link #present}, but the last part may be new. */
    static String destination(JsonNode tree, String operation, String path) {
        return new PatchPath(operation, path, true).resolve(tree);
    }

    private String resolve(JsonNode tree) {
        if (!path.startsWith("/")) {
            return path;
        }
        List<String> keys = List.of(path.substring(1).split("/", -1));
        StringBuilder resolved = new StringBuilder();
        JsonNode container = tree;
        for (String key : keys.subList(0, keys.size() - 1)) {
            String found = key(container, key, false, why -> noContainer());
            resolved.append('/').append(found);
            container = container.at("/" + found);
            if (!container.isContainerNode()) {
                throw JsonPatchRequest.rejected(noContainer());
            }
        }
        String last = key(container, keys.get(keys.size() - 1), destination, this::noKey);
        return resolved.append('/').append(last).toString();
    }

    /** A key of a container, as it counts itself. */
    private String key(JsonNode container, String key, boolean adds, UnaryOperator<String> complaint) {
        if (!container.isArray()) {
            if (!adds && container.at("/" + key).isMissingNode()) {
                String does = operation.equals("remove") ? "Unable to remove" : "unable to get";
                throw JsonPatchRequest.rejected(
                        complaint.apply(does + " nonexistent key: " + name(key) + ": missing value"));
            }
            return key;
        }
        if (adds && key.equals("-")) {
            return key;
        }
        if (!key.matches("[+-]?\\d{1,9}")) {
            throw JsonPatchRequest.rejected(
                    complaint.apply("strconv.Atoi: parsing " + GoText.quote(name(key)) + ": invalid syntax"));
        }
        int end = container.size() + (adds ? 1 : 0);
        int index = Integer.parseInt(key);
        if (index >= end || index < -end) {
            throw JsonPatchRequest.rejected(
                    complaint.apply("Unable to access invalid index: " + index + ": invalid index referenced"));
        }
        return String.valueOf(index < 0 ? index + end : index);
    }

    private String noContainer() {
        String missing = switch (operation) {
            case "add", "remove" -> "doc is missing path: " + GoText.quote(path);
            case "replace" -> "doc is missing path: " + path;
            case "test" -> "is missing path: " + path;
            default -> "doc is missing " + (destination ? "destination" : "from") + " path: " + path;
        };
        return operation + " operation does not apply: " + missing + ": missing value";
    }

    private String noKey(String why) {
        return switch (operation) {
            case "replace" -> "replace operation does not apply: doc is missing key: " + path + ": missing value";
            case "copy" ->
                destination
                        ? "error while adding value during copy: " + why
                        : "error in copy for from: '" + path + "': " + why;
            default -> "error in " + operation + " for path: '" + path + "': " + why;
        };
    }

    private static String name(String key) {
        return key.replace("~1", "/").replace("~0", "~");
    }
}
