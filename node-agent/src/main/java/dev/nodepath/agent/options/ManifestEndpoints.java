package dev.nodepath.agent.options;

import dev.nodepath.endpoints.source.ManifestObject;
import java.util.List;

/** Lists the endpoints of Services in manifests as a cluster would; found by {@link java.util.ServiceLoader}. */
public interface ManifestEndpoints {
    /**
     * What a cluster would add.
     *
     * @param slices EndpointSlices of the Services that have Pods and no slices
     * @param problems a line for each Pod that cannot be an endpoint
     */
    record Derived(List<ManifestObject> slices, List<String> problems) {
        /** Copies the lists. */
        public Derived {
            slices = List.copyOf(slices);
            problems = List.copyOf(problems);
        }
    }

    /** Derives endpoints from the objects of all manifests; nothing where there are no Pods. */
    Derived derive(List<ManifestObject> objects);
}
