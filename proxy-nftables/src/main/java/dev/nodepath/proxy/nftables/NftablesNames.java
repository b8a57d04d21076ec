package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NameHash;
import dev.nodepath.endpoints.ServicePortName;
import java.nio.charset.StandardCharsets;

/**
 * The names of the chains and sets of one service port: a prefix, a hash, and the name in words. They are
 * kube-proxy's, so that each program recognises the chains of the other. A name has at most 255 bytes in the kernel.
 */
final class NftablesNames {
    private static final int HASH_CHARS = 8;

    /** One for each thread, because making one takes longer than a hash. */
    private static final ThreadLocal<NameHash> HASH = ThreadLocal.withInitial(NameHash::new);

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

    /** Drops packets from outside a load balancer's source ranges. */
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
        StringBuilder text = new StringBuilder(name.length() + HASH_CHARS + 1);
        HASH.get()
                .append(text, HASH_CHARS, name.getBytes(StandardCharsets.UTF_8))
                .append('-')
                .append(name);
        return cut(text, NAME_CHARS_MAX);
    }

    /** Kubernetes' names have ASCII characters only. */
    private static String cut(StringBuilder text, int charsMax) {
        if (text.length() > charsMax) {
            text.setLength(charsMax - CUT.length());
            text.append(CUT);
        }
        return text.toString();
    }
}
