package dev.nodepath.controllers.workload;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The next sizes of the ReplicaSets of a Deployment. All functions are pure, and return only sizes that change, by the
 * name of the set.
 */
final class RolloutStep {
    /**
     * A ReplicaSet.
     *
     * @param replicas in its spec
     * @param available of its Pods, at most {@code replicas}
     */
    record Member(String name, int replicas, int available) {
        Member {
            available = Math.min(available, replicas);
        }
    }

    private RolloutStep() {}

    /** The new size of the set with the newest template, within the surge. */
    static int grown(RolloutLimits limits, int present, List<Member> old) {
        int room = limits.podsMax() - present - sum(old);
        return Math.max(present, Math.min(limits.replicas(), present + Math.max(room, 0)));
    }

    /**
     * Shrinks old sets while enough Pods stay available; unavailable Pods go first.
     *
     * @param old the oldest first
     */
    static Map<String, Integer> shrunk(RolloutLimits limits, Member newest, List<Member> old) {
        int missing = newest.replicas() - newest.available();
        int budget = newest.replicas() + sum(old) - limits.availableMin() - missing;
        Map<String, Integer> sizes = new LinkedHashMap<>();
        for (Member each : old) {
            int unavailable = take(budget, each.replicas() - each.available());
            budget -= unavailable;
            sizes.put(each.name(), each.replicas() - unavailable);
        }
        for (Member each : old) {
            int size = sizes.getOrDefault(each.name(), 0);
            int more = take(budget, size);
            budget -= more;
            sizes.put(each.name(), size - more);
        }
        old.forEach(each -> sizes.remove(each.name(), each.replicas()));
        return sizes;
    }

    /**
     * Shares a change of a Deployment's size among its sets while a rollout is under way, so that a bad rollout does
     * not get all of the new Pods.
     *
     * @param allowed Pods of all sets together
     */
    static Map<String, Integer> shared(int allowed, List<Member> sets) {
        int total = sum(sets);
        int change = allowed - total;
        Map<String, Integer> sizes = new LinkedHashMap<>();
        if (change == 0 || total == 0) {
            return sizes;
        }
        List<Member> largestFirst = new ArrayList<>(sets);
        largestFirst.sort(Comparator.comparingInt(Member::replicas).reversed());
        int left = change;
        for (Member each : largestFirst) {
            long exact = Math.round((double) each.replicas() * change / total);
            int share = change > 0 ? (int) Math.min(exact, left) : (int) Math.max(exact, left);
            left -= share;
            sizes.put(each.name(), each.replicas() + share);
        }
        int rest = left;
        sizes.computeIfPresent(largestFirst.get(0).name(), (name, size) -> Math.max(0, size + rest));
        sets.forEach(each -> sizes.remove(each.name(), each.replicas()));
        return sizes;
    }

    private static int take(int budget, int wanted) {
        return Math.max(0, Math.min(budget, wanted));
    }

    private static int sum(List<Member> sets) {
        return sets.stream().mapToInt(Member::replicas).sum();
    }
}
