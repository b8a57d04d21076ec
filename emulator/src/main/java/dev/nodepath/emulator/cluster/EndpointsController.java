package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.ServiceSpec;
import dev.nodepath.endpoints.NamespacedName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Turns pod labels and readiness into EndpointSlices, in one manifest in the folder that the proxies watch. The file is
 * replaced in one step, and only when endpoints change: a proxy sees all of a change or nothing of it.
 */
final class EndpointsController {
    private static final String FILE = "endpointslices.json";

    private final List<ServiceSpec> services;
    private final Path folder;
    private final Clock clock;
    private final Map<NamespacedName, PodStatus> pods = new TreeMap<>();
    private final Map<ServiceSpec, String> written = new HashMap<>();
    private final Map<ServiceSpec, Instant> triggers = new LinkedHashMap<>();
    private final Set<NamespacedName> terminating = new HashSet<>();
    private Set<String> lost = Set.of();
    private Optional<Instant> lastTrigger = Optional.empty();

    /** A controller of the Services that have a selector. */
    EndpointsController(List<ServiceSpec> services, Path folder, Clock clock) {
        this.services = services.stream()
                .filter(service -> !service.selector().isEmpty())
                .toList();
        this.folder = folder;
        this.clock = clock;
    }

    /**
     * Records the state of a pod and writes the slices if any changes.
     *
     * @return the trigger time of the changed slices; empty if nothing changed
     */
    Optional<Instant> update(PodStatus pod) throws IOException {
        return update(List.of(pod));
    }

    /**
     * Records the states of several pods as one change.
     *
     * @return as {@link #update(PodStatus)}
     */
    synchronized Optional<Instant> update(Collection<PodStatus> changed) throws IOException {
        changed.forEach(pod -> pods.put(pod.spec().name(), pod));
        return write();
    }

    /**
     * Marks a pod as terminating: its endpoints are not ready, and are serving while its probe passes.
     *
     * @return as {@link #update(PodStatus)}
     */
    synchronized Optional<Instant> terminate(NamespacedName pod) throws IOException {
        terminating.add(pod);
        return write();
    }

    /**
     * Removes a pod.
     *
     * @return as {@link #update(PodStatus)}
     */
    synchronized Optional<Instant> remove(NamespacedName pod) throws IOException {
        pods.remove(pod);
        terminating.remove(pod);
        return write();
    }

    /**
     * Sets the nodes whose lease has expired: their pods count as not ready, as with Kubernetes' node lifecycle
     * controller.
     *
     * @return as {@link #update(PodStatus)}
     */
    synchronized Optional<Instant> lose(Set<String> nodes) throws IOException {
        lost = Set.copyOf(nodes);
        return write();
    }

    private Optional<Instant> write() throws IOException {
        List<PodStatus> now = pods();
        Instant trigger = nextTrigger();
        boolean changed = false;
        for (ServiceSpec service : services) {
            String slices = EndpointSlices.render(Map.of(service, Instant.EPOCH), now);
            if (!slices.equals(written.put(service, slices))) {
                triggers.put(service, trigger);
                changed = true;
            }
        }
        if (!changed) {
            return Optional.empty();
        }
        replace(EndpointSlices.render(triggers, now));
        lastTrigger = Optional.of(trigger);
        return lastTrigger;
    }

    /** The trigger time of the newest slices; empty while there are none. */
    synchronized Optional<Instant> lastTrigger() {
        return lastTrigger;
    }

    /** The pods as last recorded; those of lost nodes are not ready. */
    synchronized List<PodStatus> pods() {
        return pods.values().stream()
                .map(pod -> new PodStatus(
                        pod.spec(),
                        pod.addresses(),
                        pod.serving() && !lost.contains(pod.spec().node()),
                        terminating.contains(pod.spec().name())))
                .toList();
    }

    /** The present time, but always later than the last one: a proxy's log identifies changes by it. */
    private Instant nextTrigger() {
        Instant now = clock.instant();
        return lastTrigger
                .filter(last -> !now.isAfter(last))
                .map(last -> last.plusNanos(1))
                .orElse(now);
    }

    private void replace(String content) throws IOException {
        Path temporary = folder.resolve("." + FILE);
        Files.writeString(temporary, content);
        Files.move(
                temporary, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
