package dev.nodepath.endpoints.source;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds manifests and reads their text. */
final class ManifestFiles {
    /** Size of one file, in bytes. */
    static final int MAX_FILE_BYTES = 16 << 20;
    /** Manifests in one folder. */
    static final int MAX_FILES = 10_000;

    private static final List<String> SUFFIXES = List.of(".yaml", ".yml", ".json");

    private ManifestFiles() {}

    /** The manifests of a folder by name, without hidden files; or the file itself, if the path is a file. */
    static List<Path> list(Path path) throws ManifestException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> entries = Files.list(path)) {
            List<Path> files = entries.filter(ManifestFiles::isManifest)
                    .sorted()
                    .limit(MAX_FILES + 1L)
                    .toList();
            if (files.size() > MAX_FILES) {
                throw new ManifestException(path, "more than " + MAX_FILES + " manifests in one folder");
            }
            return files;
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    static byte[] read(Path file) throws ManifestException {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                throw new ManifestException(file, "not a file (expected: a file or a folder)");
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
                if (bytes.length > MAX_FILE_BYTES) {
                    throw new ManifestException(file, "more than " + MAX_FILE_BYTES + " bytes");
                }
                return bytes;
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** The one document of a file, of any kind. */
    static JsonNode document(Path file) throws ManifestException {
        List<JsonNode> documents =
                YamlParser.parse(file, decode(file, read(file))).documents();
        if (documents.size() != 1) {
            throw new ManifestException(
                    file, documents.isEmpty() ? "empty" : documents.size() + " documents instead of one");
        }
        return documents.get(0);
    }

    /**
     * Parses a file. An empty file is an error: it is usually a half-written file, or a mistake. To remove objects,
     * remove the file.
     *
     * @param bad gets documents that are no objects, such as one without a kind
     */
    static List<ManifestObject> parse(Path file, byte[] bytes, BadObject.Handler bad) throws ManifestException {
        return objects(YamlParser.parse(file, decode(file, bytes)), bad);
    }

    /** As {@link #parse}, for a file in which a key may occur twice. */
    static List<ManifestObject> parseLeniently(Path file, byte[] bytes, YamlParser.Duplicates duplicates)
            throws ManifestException {
        return objects(YamlParser.parse(file, decode(file, bytes), duplicates), BadObject.Handler.STRICT);
    }

    private static List<ManifestObject> objects(YamlParser.Documents source, BadObject.Handler bad)
            throws ManifestException {
        List<JsonNode> documents = source.documents();
        List<ManifestObject> objects = new ArrayList<>();
        for (int i = 0; i < documents.size(); i++) {
            ManifestObject.collect(origin(source, i), documents.get(i), objects, bad);
        }
        if (objects.isEmpty() && !documents.isEmpty()) {
            // No document is an object, so the file is no manifest.
            ManifestObject.collect(origin(source, 0), documents.get(0), objects, BadObject.Handler.STRICT);
        }
        if (objects.isEmpty()) {
            throw new ManifestException(source.file(), "empty (expected: at least one object)");
        }
        return objects;
    }

    private static ManifestObject.Origin origin(YamlParser.Documents source, int index) {
        return new ManifestObject.Origin(source.file(), "document " + (index + 1), source.lines());
    }

    private static String decode(Path file, byte[] bytes) throws ManifestException {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new ManifestException(file, "not UTF-8", e);
        }
    }

    private static boolean isManifest(Path path) {
        String name = path.getFileName().toString();
        return !name.startsWith(".") && SUFFIXES.stream().anyMatch(name::endsWith) && Files.isRegularFile(path);
    }

    private static ManifestException unreadable(Path path, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new ManifestException(path, "no such file or folder", e);
        }
        return new ManifestException(
                path, e instanceof AccessDeniedException ? "no permission to read it" : e.toString(), e);
    }
}
