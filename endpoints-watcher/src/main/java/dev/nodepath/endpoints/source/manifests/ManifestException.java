package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.source.SourceException;
import java.nio.file.Path;

/** A manifest is unusable. The message is one line: file, object, field, value, and what was expected. */
public final class ManifestException extends SourceException {
    private final Path file;
    private final String object;
    private final String field;
    private final String problem;

    /** A problem found in the text. */
    public ManifestException(Path file, String reason) {
        super(file + ": " + reason);
        this.file = file;
        this.object = "";
        this.field = "";
        this.problem = reason;
    }

    /** A problem at a place in an object. */
    ManifestException(Path file, String object, String field, String problem) {
        super(file + ": " + object + ": " + (field.isEmpty() ? "" : field + ": ") + problem);
        this.file = file;
        this.object = object;
        this.field = field;
        this.problem = (field.isEmpty() ? "" : field + ": ") + problem;
    }

    /** A problem with its cause. */
    public ManifestException(Path file, String reason, Throwable cause) {
        super(file + ": " + reason, cause);
        this.file = file;
        this.object = "";
        this.field = "";
        this.problem = reason;
    }

    /** The file or folder. */
    public Path file() {
        return file;
    }

    /** The message without the file. */
    public String reason() {
        return object.isEmpty() ? problem : object + ": " + problem;
    }

    /** The object of the file; empty for a problem of the whole file. */
    String object() {
        return object;
    }

    /** The field of the object; empty if there is none. */
    String field() {
        return field;
    }

    /** The message without file and object. */
    String problem() {
        return problem;
    }
}
