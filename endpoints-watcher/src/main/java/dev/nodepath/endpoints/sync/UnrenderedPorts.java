package dev.nodepath.endpoints.sync;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/**
 * The service ports whose rules could not be computed, with the reason of each. They do not block other ports.
 * Thread-safe.
 */
public final class UnrenderedPorts {
    private final Map<String, String> reasons = new ConcurrentSkipListMap<>();

    /** All rules could be computed so far. */
    public UnrenderedPorts() {}

    /**
     * Computes the rules of a service port. Empty if that fails.
     *
     * @param name with its protocol
     */
    public <G> Optional<G> render(String name, Supplier<Optional<G>> rules) {
        reasons.remove(name);
        try {
            return rules.get();
        } catch (RuntimeException e) {
            reasons.put(name, e.toString());
            return Optional.empty();
        }
    }

    /** These ports, and those that the kernel has refused. */
    public SortedMap<String, String> and(Map<String, String> refused) {
        SortedMap<String, String> all = new TreeMap<>(refused);
        all.putAll(reasons);
        return all;
    }
}
