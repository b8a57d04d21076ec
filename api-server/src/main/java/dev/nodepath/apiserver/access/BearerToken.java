package dev.nodepath.apiserver.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The secret that a client sends with each request (RFC 6750).
 *
 * @param value the token
 */
public record BearerToken(String value) {
    private static final String SCHEME = "Bearer ";
    private static final int OCTETS = 24;

    /** A token of 192 random bits. */
    public static BearerToken random() {
        byte[] octets = new byte[OCTETS];
        new SecureRandom().nextBytes(octets);
        return new BearerToken(HexFormat.of().formatHex(octets));
    }

    /** Whether this value of the header {@code Authorization} has the token. */
    public boolean isIn(@Nullable String authorization) {
        return authorization != null
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(
                        value.getBytes(StandardCharsets.UTF_8),
                        authorization.substring(SCHEME.length()).trim().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "BearerToken[...]";
    }
}
