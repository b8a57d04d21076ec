package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The names of the NetworkPolicies. Not thread-safe. */
final class NetworkPolicies implements ObjectSink<NamespacedName> {
    /** Only names are used, so only metadata is requested. */
    static final ResourceKind<NamespacedName> KIND = new ResourceKind<>(
            "NetworkPolicy", "/apis/networking.k8s.io/v1/networkpolicies", "", true, (name, object) -> List.of(name));

    private final PolicyListener listener;
    private final TreeSet<NamespacedName> known = new TreeSet<>();

    NetworkPolicies(PolicyListener listener) {
        this.listener = listener;
    }

    @Override
    public void replace(Map<NamespacedName, List<NamespacedName>> objects) {
        boolean none = known.isEmpty();
        known.retainAll(objects.keySet());
        known.addAll(objects.keySet());
        tell(none);
    }

    @Override
    public void put(NamespacedName name, List<NamespacedName> records) {
        boolean none = known.isEmpty();
        known.add(name);
        tell(none);
    }

    @Override
    public void remove(NamespacedName name) {
        known.remove(name);
    }

    private void tell(boolean none) {
        if (none && !known.isEmpty()) {
            listener.found(known.first());
        }
    }
}
