package dev.nodepath.proxy.iptables.rules;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The names of the chains of one service port. A chain's name has at most 28 characters, so they end in a hash: the
 * first 16 characters of the base32 of the SHA-256 of the service port's name and protocol. The hash of an endpoint's
 * chain includes its address and port. kube-proxy uses the same names, so each program recognises the chains of the
 * other. For one thread.
 */
public final class ChainNames {
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int HASH_CHARS = 16;
    private static final int BITS_PER_CHAR = 5;

    /** Kept, because a lookup for each endpoint takes as long as the hash. */
    private final MessageDigest sha256 = sha256();

    private final byte[] hashed;
    private final String suffix;

    private ChainNames(byte[] hashed) {
        this.hashed = hashed;
        this.suffix = hash("", hashed);
    }

    public static ChainNames of(ServicePortName name) {
        return new ChainNames((name + name.protocol().lowerCase()).getBytes(StandardCharsets.UTF_8));
    }

    /** Spreads connections over the endpoints of the cluster. */
    public String cluster() {
        return "KUBE-SVC-" + suffix;
    }

    /** Spreads connections over the endpoints of this node. */
    String local() {
        return "KUBE-SVL-" + suffix;
    }

    /** The chain for traffic from outside the cluster. */
    String external() {
        return "KUBE-EXT-" + suffix;
    }

    /** Accepts the source ranges of a load balancer. */
    String firewall() {
        return "KUBE-FW-" + suffix;
    }

    /** Leads to one endpoint. */
    public String endpoint(Endpoint endpoint) {
        sha256.update(hashed);
        return hash("KUBE-SEP-", endpoint.hostAndPort().getBytes(StandardCharsets.UTF_8));
    }

    private String hash(String prefix, byte[] rest) {
        byte[] digest = sha256.digest(rest);
        int chars = prefix.length() + HASH_CHARS;
        StringBuilder hash = new StringBuilder(chars).append(prefix);
        int bits = 0;
        int bitCount = 0;
        for (int i = 0; hash.length() < chars; ) {
            if (bitCount < BITS_PER_CHAR) {
                bits = (bits << 8) | (digest[i++] & 0xFF);
                bitCount += 8;
            }
            bitCount -= BITS_PER_CHAR;
            hash.append(BASE32.charAt((bits >>> bitCount) & 31));
        }
        return hash.toString();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every Java platform", e);
        }
    }
}
