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
    /** Pairs of isolated local pods with themselves, which no NetworkPolicy parts. */
    static final String SELF = "self";

    /** What the chains of ClusterNetworkPolicies' rules begin with. */
    static final String CLUSTER = "cluster-";

    private static final String CLOSED = "forward-closed-";
    private static final int HASH_CHARS = 16;

    /** A longer name is cut; the hash before it tells it from others. */
    private static final int WORDS_MAX = 200;

    private static final ThreadLocal<NameHash> HASH = ThreadLocal.withInitial(NameHash::new);

    private PolicyNames() {}

    /** The map from pods of this node to what is asked first, or to {@code accept}. */
    static String subjects(Direction direction) {
        return direction.lowerCase();
    }

    /** The map from pods of this node to what follows when a rule of the tier Admin passes a connection on. */
    static String passed(Direction direction) {
        return "passed-" + direction.lowerCase();
    }

    /** What follows when no policy of the tier Admin has decided: a chain, if there is still something to ask. */
    static NftVerdict rest(Direction direction, AskedPolicies asked) {
        if (!asked.isolating().isEmpty()) {
            return NftVerdict.to(classOf(direction, asked.isolating()));
        }
        return asked.baseline().isEmpty()
                ? NftVerdict.ACCEPT
                : NftVerdict.to(tier(Tier.BASELINE, direction, asked.baseline(), "accept"));
    }

    /** The chain of all pods of which the tier Admin asks the same policies, and that have the same rest. */
    static String admin(Direction direction, AskedPolicies asked) {
        return tier(Tier.ADMIN, direction, asked.admin(), rest(direction, asked).toString());
    }

    /** The chain of all pods that the same NetworkPolicies isolate. */
    static String classOf(Direction direction, List<NamespacedName> policies) {
        return direction.lowerCase() + "-" + hash(words(policies));
    }

    /** The chain of all pods of which a tier asks the same policies. */
    private static String tier(Tier tier, Direction direction, List<NamespacedName> policies, String next) {
        return tier.name().toLowerCase(Locale.ROOT) + "-" + direction.lowerCase() + "-"
                + hash(words(policies) + " then " + next);
    }

    private static String words(List<NamespacedName> policies) {
        return policies.stream().map(NamespacedName::toString).collect(Collectors.joining(" "));
    }

    /** The chain that counts and drops what policies of a direction refuse. */
    static String drop(Direction direction) {
        return "drop-" + direction.lowerCase();
    }

    static boolean isDrop(String chain) {
        return Stream.of(Direction.values()).map(PolicyNames::drop).anyMatch(chain::equals);
    }

    /** The chain of a hook that drops what a pod's refused element was to drop. */
    static String closed(String hook, NftElement pod) {
        return hook + "-closed-" + hash(pod.key().toString()) + "-" + pod.comment();
    }

    /** Each closed pod has such a chain of the hook FORWARD. */
    static boolean isClosed(String chain) {
        return chain.startsWith(CLOSED);
    }

    /** The comment of the elements in whose place a chain stands; empty if it is none of {@link #isClosed}. */
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

    /** The set of the pods that a peer chooses. */
    static String peer(PodPeer peer) {
        return "pods-" + hash(peer.toString());
    }

    /** The set of the Nodes' addresses that a peer chooses. */
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
