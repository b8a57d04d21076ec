package dev.nodepath.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A part that appeared, changed or disappeared between two pictures.
 *
 * @param kind {@code node}, {@code pod} or {@code service}
 * @param id of the part
 * @param part its present state; empty if it is gone
 */
record PartChange(String kind, String id, Optional<Pictured> part) {

    /** The differences, in the order of the newer picture; lost parts come first. */
    public static List<PartChange> between(Picture before, Picture after) {
        List<PartChange> changes = new ArrayList<>();
        add(changes, "node", before.nodes(), after.nodes());
        add(changes, "pod", before.pods(), after.pods());
        add(changes, "service", before.services(), after.services());
        return changes;
    }

    private static void add(
            List<PartChange> changes, String kind, List<? extends Pictured> before, List<? extends Pictured> after) {
        Map<String, Pictured> old = new LinkedHashMap<>();
        before.forEach(part -> old.put(part.id(), part));
        List<PartChange> newer = new ArrayList<>();
        for (Pictured part : after) {
            if (!part.equals(old.remove(part.id()))) {
                newer.add(new PartChange(kind, part.id(), Optional.of(part)));
            }
        }
        old.keySet().forEach(id -> changes.add(new PartChange(kind, id, Optional.empty())));
        changes.addAll(newer);
    }
}
