package dev.nodepath.policy;

import dev.nodepath.endpoints.NameHash;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.object.AskedPolicies;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NodePeer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.Tier;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The names of chains and sets. Each is at most 255 bytes long. */
final class PolicyNames {
    /** Pairs of each isolated local pod with itself: no NetworkPolicy refuses them. */
    static final String SELF = "self";

    /** The prefix of the chains of ClusterNetworkPolicies' rules. */
    static final String CLUSTER = "cluster-";

    private static final String CLOSED = "forward-closed-";
    private static final int HASH_CHARS = 16;

    /** A longer name is cut; the hash before it keeps names distinct. */
    private static final int WORDS_MAX = 200;

    private static final ThreadLocal<NameHash> HASH = ThreadLocal.withInitial(NameHash::new);

    private PolicyNames() {}

    /** The map from this node's pods to the first chain to ask, or to {@code accept}. */
    static String subjects(Direction direction) {
        return direction.lowerCase();
    }

    /** The map from this node's pods to the next chain after a rule of the tier Admin has passed a connection on. */
    static String passed(Direction direction) {
        return "passed-" + direction.lowerCase();
    }

    /** The step after the tier Admin if none of its policies decides: a chain, if more policies are to be asked. */
    static NftVerdict rest(Direction direction, AskedPolicies asked) {
        if (!asked.isolating().isEmpty()) {
            return NftVerdict.to(classOf(direction, asked.isolating()));
        }
        return asked.baseline().isEmpty()
                ? NftVerdict.ACCEPT
                : NftVerdict.to(tier(Tier.BASELINE, direction, asked.baseline(), "accept"));
    }

    /** The chain of all pods with the same policies of the tier Admin and the same next step. */
    static String admin(Direction direction, AskedPolicies asked) {
        return tier(Tier.ADMIN, direction, asked.admin(), rest(direction, asked).toString());
    }

    /** The chain of all pods that the same NetworkPolicies isolate. */
    static String classOf(Direction direction, List<NamespacedName> policies) {
        return direction.lowerCase() + "-" + hash(words(policies));
    }

    /** The chain of all pods with the same policies of a tier. */
    private static String tier(Tier tier, Direction direction, List<NamespacedName> policies, String next) {
        return tier.name().toLowerCase(Locale.ROOT) + "-" + direction.lowerCase() + "-"
                + hash(words(policies) + " then " + next);
    }

    private static String words(List<NamespacedName> policies) {
        return policies.stream().map(NamespacedName::toString).collect(Collectors.joining(" "));
    }

    /** The chain that counts and drops packets refused by policies of a direction. */
    static String drop(Direction direction) {
        return "drop-" + direction.lowerCase();
    }

    static boolean isDrop(String chain) {
        return Stream.of(Direction.values()).map(PolicyNames::drop).anyMatch(chain::equals);
    }

    /** The chain of a hook that drops the packets of a pod's refused element. */
    static String closed(String hook, NftElement pod) {
        return hook + "-closed-" + hash(pod.key().toString()) + "-" + pod.comment();
    }

    /** Whether the chain is a closed pod's; each closed pod has one of the hook FORWARD. */
    static boolean isClosed(String chain) {
        return chain.startsWith(CLOSED);
    }

    /** The comment of the elements that a closed pod's chain replaces; empty for another chain. */
    static Optional<String> commentOfClosed(String chain) {
        return Optional.of(chain)
                .filter(PolicyNames::isClosed)
                .map(name -> name.substring(CLOSED.length() + HASH_CHARS + 1));
    }

    /** Whether a chain has the rules of a policy of a direction. */
    static boolean isOfPolicy(String chain, Direction direction) {
        String begin = "policy-" + direction.lowerCase() + "-";
        return chain.startsWith(begin) || chain.startsWith(CLUSTER + begin);
    }

    /** The chain of a ClusterNetworkPolicy's rules. */
    static String clusterPolicy(Direction direction, NamespacedName policy) {
        return CLUSTER + policy(direction, policy);
    }

    /** The chain of a policy's rules. */
    static String policy(Direction direction, NamespacedName policy) {
        String words = policy.namespace().isEmpty() ? policy.name() : policy.toString();
        return "policy-" + direction.lowerCase() + "-" + hash(words) + "-"
                + words.substring(0, Math.min(words.length(), WORDS_MAX));
    }

    /** The set of the pods that a peer selects. */
    static String peer(PodPeer peer) {
        return "pods-" + hash(peer.toString());
    }

    /** The set of the addresses of the Nodes that a peer selects. */
    static String peer(NodePeer peer) {
        return "nodes-" + hash(peer.toString());
    }

    /** The set of these addresses. */
    static String networks(List<AddressRange> ranges) {
        return "networks-"
                + hash(ranges.stream()
                        .map(each -> each.first() + "-" + each.last())
                        .collect(Collectors.joining(" ")));
    }

    /** The set of the pods' ports with one name. */
    static String port(PolicyPort port) {
        return "port-" + port.protocol().lowerCase() + "-" + port.name();
    }

    private static String hash(String words) {
        return HASH.get()
                .append(new StringBuilder(HASH_CHARS), HASH_CHARS, words.getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
