package dev.nodepath.endpoints.source;

import java.nio.file.Path;

/** A manifest is unusable. The message is one line: file, object, field, value, and what was expected. */
public final class ManifestException extends SourceException {
    private final String reason;

    /** A problem found in the text. */
    public ManifestException(Path file, String reason) {
        super(file + ": " + reason);
        this.reason = reason;
    }

    /** A problem with its cause. */
    public ManifestException(Path file, String reason, Throwable cause) {
        super(file + ": " + reason, cause);
        this.reason = reason;
    }

    /** The message without the file. */
    public String reason() {
        return reason;
    }
}
