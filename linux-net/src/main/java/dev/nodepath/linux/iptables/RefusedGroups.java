package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The groups that are not in force because the command or the kernel refused them. */
final class RefusedGroups {
    private record Refusal(RuleGroup group, String reason) {}

    private final SortedMap<String, Refusal> refusals = new TreeMap<>();

    /** Retries start at this name. */
    private String nextRetry = "";

    Set<String> names() {
        return Set.copyOf(refusals.keySet());
    }

    boolean contains(String name, RuleGroup group) {
        return Optional.ofNullable(refusals.get(name))
                .filter(refusal -> refusal.group().equals(group))
                .isPresent();
    }

    Optional<RuleGroup> get(String name) {
        return Optional.ofNullable(refusals.get(name)).map(Refusal::group);
    }

    void put(String name, RuleGroup group, String reason) {
        refusals.put(name, new Refusal(group, reason));
    }

    void remove(String name) {
        refusals.remove(name);
    }

    /** Forgets the groups that are not wanted as they were refused. */
    void retain(Map<String, RuleGroup> wanted) {
        refusals.entrySet().removeIf(refusal -> !refusal.getValue().group().equals(wanted.get(refusal.getKey())));
    }

    /** Why each was refused. */
    SortedMap<String, String> reasons() {
        SortedMap<String, String> reasons = new TreeMap<>();
        refusals.forEach((name, refusal) -> reasons.put(name, refusal.reason()));
        return reasons;
    }

    /** The refused groups among these names, in the order of their next retry. */
    List<String> inTurn(Collection<String> names) {
        List<String> waiting = new ArrayList<>(refusals.tailMap(nextRetry).keySet());
        waiting.addAll(refusals.headMap(nextRetry).keySet());
        waiting.retainAll(names);
        return waiting;
    }

    /** The next retries start at this name. */
    void continueAt(String name) {
        nextRetry = name;
    }
}
