package dev.nodepath.policy.rules;

import dev.nodepath.endpoints.NameHash;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPort;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The names of chains and sets. Each is at most 255 bytes long. */
final class PolicyNames {
    /** Pairs of local pods with themselves, which may always talk. */
    static final String SELF = "self";

    private static final int HASH_CHARS = 16;

    /** A longer name is cut; the hash before it tells it from others. */
    private static final int WORDS_MAX = 200;

    private static final ThreadLocal<NameHash> HASH = ThreadLocal.withInitial(NameHash::new);

    private PolicyNames() {}

    /** The map from isolated pods of this node to the chain of their class. */
    static String subjects(Direction direction) {
        return direction.lowerCase();
    }

    /** The chain of all pods that the same policies isolate. */
    static String classOf(Direction direction, List<NamespacedName> policies) {
        String words = policies.stream().map(NamespacedName::toString).collect(Collectors.joining(" "));
        return direction.lowerCase() + "-" + hash(words);
    }

    /** The chain of a policy's rules. */
    static String policy(Direction direction, NamespacedName policy) {
        String words = policy.toString();
        return "policy-" + direction.lowerCase() + "-" + hash(words) + "-"
                + words.substring(0, Math.min(words.length(), WORDS_MAX));
    }

    /** The set of the pods that a peer chooses. */
    static String peer(PodPeer peer) {
        return "pods-" + hash(peer.toString());
    }

    /** The set of the pods' ports of one name. */
    static String port(PolicyPort port) {
        return "port-" + port.protocol().lowerCase() + "-" + port.name();
    }

    private static String hash(String words) {
        return HASH.get()
                .append(new StringBuilder(HASH_CHARS), HASH_CHARS, words.getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
