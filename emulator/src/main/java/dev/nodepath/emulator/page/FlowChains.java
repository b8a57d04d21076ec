package dev.nodepath.emulator.page;

import dev.nodepath.emulator.page.NodeFlow.Packet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Joins the connection tracking entries of one packet along its way. The next entry is on another node, where the
 * packet came in with the addresses it had left the last node with.
 */
final class FlowChains {
    private final Map<Packet, List<NodeFlow>> bySent = new HashMap<>();
    private final Map<Packet, List<NodeFlow>> byBecame = new HashMap<>();
    private final Set<NodeFlow> used = new HashSet<>();
    private final Predicate<NodeFlow> isAtSender;

    private FlowChains(List<NodeFlow> entries, Predicate<NodeFlow> isAtSender) {
        this.isAtSender = isAtSender;
        for (NodeFlow entry : entries) {
            bySent.computeIfAbsent(entry.sent(), each -> new ArrayList<>()).add(entry);
            byBecame.computeIfAbsent(entry.became(), each -> new ArrayList<>()).add(entry);
        }
    }

    /**
     * The chains, each from the first node to the last, in the order of their first entries.
     *
     * @param isAtSender whether an entry is on the sender's node; it tells which node is first if two let a packet
     *     pass unchanged
     */
    static List<List<NodeFlow>> of(List<NodeFlow> entries, Predicate<NodeFlow> isAtSender) {
        FlowChains chains = new FlowChains(entries, isAtSender);
        List<List<NodeFlow>> found = new ArrayList<>();
        for (NodeFlow entry : entries) {
            if (!chains.hasEarlier(entry)) {
                found.add(chains.from(entry));
            }
        }
        // Each of two nodes seems to be later than the other: both chains are shown.
        for (NodeFlow entry : entries) {
            if (!chains.used.contains(entry)) {
                found.add(chains.from(entry));
            }
        }
        return found;
    }

    private boolean hasEarlier(NodeFlow entry) {
        return byBecame.getOrDefault(entry.sent(), List.of()).stream()
                .anyMatch(other -> !other.node().equals(entry.node())
                        && (other.isTranslated() || entry.isTranslated() || isBefore(other, entry)));
    }

    /** Decides between two nodes that let the same packet pass unchanged. */
    private boolean isBefore(NodeFlow other, NodeFlow entry) {
        boolean first = isAtSender.test(other);
        return first == isAtSender.test(entry) ? other.node().compareTo(entry.node()) < 0 : first;
    }

    private List<NodeFlow> from(NodeFlow first) {
        List<NodeFlow> chain = new ArrayList<>();
        for (NodeFlow next = first; next != null && used.add(next); next = after(chain)) {
            chain.add(next);
        }
        return chain;
    }

    private @Nullable NodeFlow after(List<NodeFlow> chain) {
        NodeFlow last = chain.get(chain.size() - 1);
        return bySent.getOrDefault(last.became(), List.of()).stream()
                .filter(next -> !next.node().equals(last.node()) && !used.contains(next))
                .findFirst()
                .orElse(null);
    }
}
