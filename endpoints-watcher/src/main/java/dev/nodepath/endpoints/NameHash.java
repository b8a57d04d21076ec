package dev.nodepath.endpoints;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The hashes in the names of chains, as kube-proxy makes them: the beginning of the base32 (RFC 4648) of a SHA-256. One
 * object makes many; for one thread.
 */
public final class NameHash {
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int BITS_PER_CHAR = 5;

    /** Kept, because a lookup for each hash takes as long as the hash. */
    private final MessageDigest sha256 = sha256();

    /** The first characters of the hash of these parts one after the other, appended to a text. */
    public StringBuilder append(StringBuilder text, int chars, byte[]... parts) {
        for (byte[] part : parts) {
            sha256.update(part);
        }
        byte[] digest = sha256.digest();
        int end = text.length() + chars;
        int bits = 0;
        int bitCount = 0;
        for (int i = 0; text.length() < end; ) {
            if (bitCount < BITS_PER_CHAR) {
                bits = (bits << 8) | (digest[i++] & 0xFF);
                bitCount += 8;
            }
            bitCount -= BITS_PER_CHAR;
            text.append(BASE32.charAt((bits >>> bitCount) & 31));
        }
        return text;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every Java platform", e);
        }
    }
}
