package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.source.SourceException;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bearer token in a file. It is read for each request, because the kubelet rotates tokens of service accounts. While
 * the file is unreadable, the last good token is used.
 */
final class FileToken implements OAuthTokenProvider {
    /** Tokens are about 1 KB. */
    static final int MAX_BYTES = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(FileToken.class);

    private final Path file;
    private String token;
    private boolean failing;

    /** Reads the token for the first time. */
    FileToken(String field, Path file) throws SourceException {
        this.file = file;
        try {
            this.token = read();
        } catch (IOException e) {
            throw new SourceException(field + ": " + file + ": " + reason(e) + " (expected: a file with a token)", e);
        }
    }

    @Override
    public synchronized String getToken() {
        try {
            token = read();
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                LOG.atWarn()
                        .addKeyValue("file", file)
                        .addKeyValue("error", reason(e))
                        .log("source.token_unreadable");
            }
            failing = true;
        }
        return token;
    }

    private String read() throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException("longer than " + MAX_BYTES + " bytes");
        }
        String text = Files.readString(file).strip();
        if (text.isEmpty()) {
            throw new IOException("empty");
        }
        return text;
    }

    private static String reason(IOException e) {
        return ApiServerAccess.reason(e);
    }
}
