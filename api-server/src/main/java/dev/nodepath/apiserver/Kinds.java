package dev.nodepath.apiserver;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.ObjectStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of a cluster now: the built-in ones, and those of its CustomResourceDefinitions. The kinds of a stored
 * definition exist before any other call reads or writes. Methods are thread-safe.
 */
public final class Kinds {
    private final ObjectStore store;
    private final Map<String, String> storageVersions = new TreeMap<>();
    private final Map<String, List<CustomKind>> definitions = new TreeMap<>();
    private final Set<Resource> announced = new HashSet<>();
    private final List<Consumer<Resource>> listeners = new ArrayList<>();
    private volatile Now now = new Now(List.of(), Resources.all());

    private record Now(List<CustomKind> custom, List<Resource> all) {}

    /** The kinds of a cluster whose objects are in a store. */
    public Kinds(ObjectStore store) {
        this.store = store;
        store.subscribe(Resources.CUSTOM_RESOURCE_DEFINITIONS, this::follow);
    }

    /** Every kind, the built-in ones first; each change makes a new list. */
    public List<Resource> all() {
        return now.all();
    }

    /** The kinds of CustomResourceDefinitions, versions in Kubernetes' order. */
    public List<CustomKind> custom() {
        return now.custom();
    }

    /** The definition of a custom kind; empty for a built-in one. */
    public Optional<CustomKind> custom(Resource resource) {
        return Resources.isBuiltIn(resource)
                ? Optional.empty()
                : now.custom().stream()
                        .filter(each -> each.resource().equals(resource))
                        .findFirst();
    }

    /** The kind with this {@code apiVersion} and {@code kind}. */
    public Optional<Resource> ofKind(String apiVersion, String kind) {
        return all().stream()
                .filter(each ->
                        each.apiVersion().equals(apiVersion) && each.kind().equals(kind))
                .findFirst();
    }

    /** The kind at this group, version and plural name. */
    public Optional<Resource> at(String group, String version, String plural) {
        return all().stream()
                .filter(each -> each.group().equals(group)
                        && each.version().equals(version)
                        && each.plural().equals(plural))
                .findFirst();
    }

    /** The kinds as they are stored: some objects have several forms, but only one is stored. */
    public List<Resource> stored() {
        return all().stream().map(this::stored).distinct().toList();
    }

    /** The stored form of a kind. */
    public Resource stored(Resource resource) {
        return custom(resource).map(CustomKind::stored).orElse(Resources.stored(resource));
    }

    /**
     * Calls a listener once for each custom kind in its stored form: for the present ones, and for later ones. The
     * store is locked meanwhile.
     */
    public void onCustom(Consumer<Resource> listener) {
        store.atomically(() -> {
            announced.forEach(listener);
            return listeners.add(listener);
        });
    }

    private void follow(ChangeEvent event) {
        String name = event.key().name();
        if (event.type() == ChangeEvent.Type.DELETED) {
            definitions.remove(name);
            storageVersions.remove(name);
        } else {
            // Present objects keep their place when the definition changes its storage version.
            String version = storageVersions.computeIfAbsent(name, each -> CustomKind.storageVersion(event.object()));
            definitions.put(name, CustomKind.of(event.object(), version));
        }
        now = now();
        for (CustomKind each : definitions.getOrDefault(name, List.of())) {
            if (announced.add(each.stored())) {
                listeners.forEach(listener -> listener.accept(each.stored()));
            }
        }
    }

    private Now now() {
        List<CustomKind> custom = new ArrayList<>();
        definitions.values().forEach(custom::addAll);
        custom.sort(Comparator.comparing((CustomKind each) -> each.resource().group())
                .thenComparing(each -> VersionOrder.of(each.resource().version())));
        Map<Resource, Resource> all = new LinkedHashMap<>();
        Resources.all().forEach(each -> all.put(each, each));
        for (CustomKind each : custom) {
            @Nullable Resource builtIn = all.putIfAbsent(each.resource(), each.resource());
            assert builtIn == null : "groups of built-in kinds are refused";
        }
        return new Now(List.copyOf(custom), List.copyOf(all.values()));
    }
}
