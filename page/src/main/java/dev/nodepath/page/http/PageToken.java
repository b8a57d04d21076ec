package dev.nodepath.page.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The secret in the page's address. Its owner may read the page and act on the cluster.
 *
 * @param value the token
 */
public record PageToken(String value) {
    private static final int OCTETS = 16;

    /** A token of 128 random bits. */
    public static PageToken random() {
        byte[] octets = new byte[OCTETS];
        new SecureRandom().nextBytes(octets);
        return new PageToken(HexFormat.of().formatHex(octets));
    }

    /** Whether a client has sent this token; the comparison takes the same time for every other one. */
    boolean is(@Nullable String sent) {
        return sent != null
                && MessageDigest.isEqual(value.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "PageToken[...]";
    }
}
