package dev.nodepath.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives each Pod a place on its node. A Pod keeps its place until it is gone, so Pods do not move on the page when
 * others come or go. A new Pod takes the first free place.
 */
public final class PodSlots {
    private final Map<String, Place> places = new HashMap<>();

    private record Place(String node, int slot) {}

    /** The Pods with their places, by node and slot. */
    public List<PicturedPod> place(List<PicturedPod> pods) {
        Map<String, String> nodes = new HashMap<>();
        pods.forEach(pod -> nodes.put(pod.id(), pod.node()));
        places.entrySet().removeIf(held -> !held.getValue().node().equals(nodes.get(held.getKey())));
        Set<Place> taken = new HashSet<>(places.values());
        List<PicturedPod> placed = new ArrayList<>();
        for (PicturedPod pod : pods) {
            placed.add(pod.at(places.computeIfAbsent(pod.id(), id -> free(pod.node(), taken))
                    .slot()));
        }
        placed.sort(Comparator.comparing(PicturedPod::node).thenComparing(PicturedPod::slot));
        return placed;
    }

    private static Place free(String node, Set<Place> taken) {
        int slot = 0;
        while (!taken.add(new Place(node, slot))) {
            slot++;
        }
        return new Place(node, slot);
    }
}
