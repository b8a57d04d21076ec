package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads Kubernetes YAML or JSON: files with one or more documents, Lists, and folders of {@code *.yaml, *.yml, *.json}.
 * It ignores subfolders and hidden files.
 */
public final class ManifestReader {
    private ManifestReader() {}

    /**
     * Reads the objects of files and folders once, of every kind, and does not look into them. A file that is named
     * twice is read once.
     *
     * @throws ManifestException at the first text that is no Kubernetes object
     */
    public static List<ManifestObject> objects(List<Path> paths) throws ManifestException {
        return objects(paths, BadObject.Handler.STRICT);
    }

    /**
     * The same.
     *
     * @param bad gets documents that are no objects
     * @throws ManifestException if a whole file is no manifest
     */
    static List<ManifestObject> objects(List<Path> paths, BadObject.Handler bad) throws ManifestException {
        Map<Path, Path> files = new LinkedHashMap<>();
        for (Path path : paths) {
            for (Path file : ManifestFiles.list(path)) {
                files.putIfAbsent(file.toAbsolutePath().normalize(), file);
            }
        }
        List<ManifestObject> objects = new ArrayList<>();
        for (Path file : files.values()) {
            objects.addAll(ManifestFiles.parse(file, ManifestFiles.read(file), bad));
        }
        return objects;
    }

    /**
     * Reads the objects of a file. Of a key that occurs twice the last one counts.
     *
     * @param duplicates gets each such key, with its line, in words
     * @throws ManifestException at the first text that is no Kubernetes object
     */
    public static List<ManifestObject> objects(Path file, Consumer<String> duplicates) throws ManifestException {
        return ManifestFiles.parseLeniently(
                file, ManifestFiles.read(file), problem -> duplicates.accept(problem.reason()));
    }

    /**
     * Reads a file of one document that need not be a Kubernetes object, such as a kubeconfig.
     *
     * @throws ManifestException if it cannot be read, or has no document or several
     */
    public static JsonNode document(Path file) throws ManifestException {
        return ManifestFiles.document(file);
    }

    /**
     * Reads the objects of a text, such as a list of an API server.
     *
     * @param origin names the text in errors
     * @throws ManifestException if it is no list and no Kubernetes object
     */
    public static List<ManifestObject> objects(Path origin, String json) throws ManifestException {
        List<ManifestObject> objects = new ArrayList<>();
        YamlParser.Documents source = YamlParser.parse(origin, json);
        for (JsonNode document : source.documents()) {
            ManifestObject.collect(
                    new ManifestObject.Origin(origin, "answer", source.lines()),
                    document,
                    objects,
                    BadObject.Handler.STRICT);
        }
        return objects;
    }

    /**
     * Checks the objects that proxies use.
     *
     * @throws ManifestException at the first problem
     */
    public static Manifests check(List<ManifestObject> objects) throws ManifestException {
        return Manifests.of(objects, BadObject.Handler.STRICT);
    }
}
