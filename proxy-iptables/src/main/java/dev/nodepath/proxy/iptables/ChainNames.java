package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NameHash;
import dev.nodepath.endpoints.ServicePortName;
import java.nio.charset.StandardCharsets;

/**
 * The names of the chains of one service port. A chain's name has at most 28 characters, so they end in a hash: the
 * first 16 characters of the base32 of the SHA-256 of the service port's name and protocol. The hash of an endpoint's
 * chain includes its address and port. kube-proxy uses the same names, so each program recognises the chains of the
 * other. For one thread.
 */
final class ChainNames {
    private static final int HASH_CHARS = 16;

    private final NameHash hash = new NameHash();
    private final byte[] hashed;
    private final String suffix;

    private ChainNames(byte[] hashed) {
        this.hashed = hashed;
        this.suffix = hash("", hashed);
    }

    static ChainNames of(ServicePortName name) {
        return new ChainNames((name + name.protocol().lowerCase()).getBytes(StandardCharsets.UTF_8));
    }

    /** Spreads connections over the endpoints of the cluster. */
    String cluster() {
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
    String endpoint(Endpoint endpoint) {
        return hash("KUBE-SEP-", hashed, endpoint.hostAndPort().getBytes(StandardCharsets.UTF_8));
    }

    private String hash(String prefix, byte[]... parts) {
        return hash.append(new StringBuilder(prefix.length() + HASH_CHARS).append(prefix), HASH_CHARS, parts)
                .toString();
    }
}
