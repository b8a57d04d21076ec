package dev.nodepath.proxy.nftables.rules;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePortName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The names of the chains and sets of one service port: a prefix, a hash, and the name in words. They are kube-proxy's, so
 * that each program recognises the chains of the other. A name has at most 255 bytes in the kernel.
 */
final class NftablesNames {
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int HASH_CHARS = 8;
    private static final int BITS_PER_CHAR = 5;

    /** A longer name is cut, and ends in dots. The longest prefix has 9 characters more. */
    private static final int NAME_CHARS_MAX = 240;

    /** {@code nft} takes comments of up to 127 bytes. The three names in one may have 143. */
    private static final int COMMENT_CHARS_MAX = 127;

    private static final String CUT = "...";

    private final ServicePortName name;
    private final String words;
    private final String base;

    NftablesNames(ServicePortName name) {
        this.name = name;
        this.words = name.service() + "/" + name.protocol().lowerCase() + "/" + name.port();
        this.base = hashed(words);
    }

    /** Spreads connections over the endpoints of the cluster. */
    String cluster() {
        return "service-" + base;
    }

    /** Spreads connections over the endpoints of this node. */
    String local() {
        return "local-" + base;
    }

    /** The chain for traffic from outside the cluster. */
    String external() {
        return "external-" + base;
    }

    /** Drops what comes from no source range of a load balancer. */
    String firewall() {
        return "firewall-" + base;
    }

    /** Leads to one endpoint. */
    String endpoint(Endpoint endpoint) {
        return "endpoint-" + ofEndpoint(endpoint);
    }

    /** The set of the clients of one endpoint. */
    String affinity(Endpoint endpoint) {
        return "affinity-" + ofEndpoint(endpoint);
    }

    /** The service port in words, for an element. */
    String comment() {
        return cut(new StringBuilder(name.toString()), COMMENT_CHARS_MAX);
    }

    private String ofEndpoint(Endpoint endpoint) {
        return hashed(words + "__" + endpoint.address().toString().replace(':', '.') + "/" + endpoint.port());
    }

    private static String hashed(String name) {
        byte[] digest = SHA256.get().digest(name.getBytes(StandardCharsets.UTF_8));
        StringBuilder text = new StringBuilder(name.length() + HASH_CHARS + 1);
        int bits = 0;
        int bitCount = 0;
        for (int i = 0; text.length() < HASH_CHARS; ) {
            if (bitCount < BITS_PER_CHAR) {
                bits = (bits << 8) | (digest[i++] & 0xFF);
                bitCount += 8;
            }
            bitCount -= BITS_PER_CHAR;
            text.append(BASE32.charAt((bits >>> bitCount) & 31));
        }
        return cut(text.append('-').append(name), NAME_CHARS_MAX);
    }

    /** Kubernetes' names have ASCII characters only. */
    private static String cut(StringBuilder text, int charsMax) {
        if (text.length() > charsMax) {
            text.setLength(charsMax - CUT.length());
            text.append(CUT);
        }
        return text.toString();
    }

    /** A digest for each thread, because making one takes longer than a hash. */
    private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(NftablesNames::sha256);

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every Java platform", e);
        }
    }
}
