package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The writes after which the slices list the desired endpoints. An endpoint stays in its slice, new ones go to the
 * fullest slice with room, and a correct slice is left alone.
 *
 * @param created slices without name
 * @param updated slices with their new content
 * @param deleted slices that are not needed any more
 */
record SlicePlan(List<ObjectNode> created, List<ObjectNode> updated, List<ObjectNode> deleted) {
    SlicePlan {
        created = List.copyOf(created);
        updated = List.copyOf(updated);
        deleted = List.copyOf(deleted);
    }

    /**
     * Makes a plan.
     *
     * @param frame makes a slice of a group, with labels and owner, without name and endpoints
     * @param desired the endpoints of each group by {@link PodEndpoint#id}
     */
    static SlicePlan of(
            Function<SliceGroup, ObjectNode> frame,
            Map<SliceGroup, Map<String, ObjectNode>> desired,
            Collection<ObjectNode> present) {
        Builder builder = new Builder(frame, present);
        desired.forEach(builder::add);
        builder.recycle();
        return new SlicePlan(builder.created, builder.updated, builder.unused);
    }

    /** Whether there is nothing to do. */
    boolean isEmpty() {
        return created.isEmpty() && updated.isEmpty() && deleted.isEmpty();
    }

    /** A present slice and its new endpoints. */
    private record Content(ObjectNode slice, ArrayNode endpoints) {
        void fill(List<ObjectNode> waiting) {
            SlicePlan.fill(endpoints, waiting);
        }
    }

    private static void fill(ArrayNode endpoints, List<ObjectNode> waiting) {
        int room = Math.max(0, EndpointSliceBuilder.ENDPOINTS_MAX - endpoints.size());
        List<ObjectNode> taken = waiting.subList(0, Math.min(room, waiting.size()));
        endpoints.addAll(taken);
        taken.clear();
    }

    /** Fills the lists, group by group. */
    private static final class Builder {
        private final Function<SliceGroup, ObjectNode> frame;
        private final List<ObjectNode> created = new ArrayList<>();
        private final List<ObjectNode> updated = new ArrayList<>();
        /** Present slices that no group has claimed yet. */
        private final List<ObjectNode> unused;

        Builder(Function<SliceGroup, ObjectNode> frame, Collection<ObjectNode> present) {
            this.frame = frame;
            this.unused = new ArrayList<>(present);
        }

        void add(SliceGroup group, Map<String, ObjectNode> endpoints) {
            Map<String, ObjectNode> missing = new LinkedHashMap<>(endpoints);
            List<Content> contents = contents(group, missing);
            List<ObjectNode> waiting = new ArrayList<>(missing.values());
            contents.forEach(content -> content.fill(waiting));
            boolean mayBeEmpty = endpoints.isEmpty();
            for (Content content : contents) {
                // An empty slice is deleted, unless the Service needs one.
                if (mayBeEmpty || !content.endpoints().isEmpty()) {
                    unused.removeIf(slice -> Meta.name(slice).equals(Meta.name(content.slice())));
                    write(group, content);
                    mayBeEmpty = false;
                }
            }
            while (!waiting.isEmpty() || mayBeEmpty) {
                ObjectNode slice = frame.apply(group);
                fill(slice.withArrayProperty("endpoints"), waiting);
                created.add(slice);
                mayBeEmpty = false;
            }
        }

        /** Moves endpoints from {@code missing} to the present slices that hold them. */
        private List<Content> contents(SliceGroup group, Map<String, ObjectNode> missing) {
            boolean any = missing.isEmpty(); // the last endpoint has gone: one slice stays, whatever its ports were
            List<Content> contents = new ArrayList<>();
            unused.stream()
                    .filter(slice -> any
                            ? slice.path("addressType").asText().equals(group.addressType())
                            : SliceGroup.of(slice).equals(group))
                    .sorted(Comparator.<ObjectNode>comparingInt(
                                    slice -> -slice.path("endpoints").size())
                            .thenComparing(Meta::name))
                    .forEach(slice -> contents.add(new Content(slice, kept(slice, missing))));
            return contents;
        }

        private static ArrayNode kept(ObjectNode slice, Map<String, ObjectNode> missing) {
            ArrayNode kept = slice.arrayNode();
            for (JsonNode endpoint : slice.path("endpoints")) {
                @Nullable ObjectNode now = missing.remove(PodEndpoint.id(endpoint));
                if (now != null) {
                    kept.add(now);
                }
            }
            return kept;
        }

        private void write(SliceGroup group, Content content) {
            ObjectNode slice = content.slice();
            ObjectNode desired = frame.apply(group);
            boolean same = slice.path("endpoints").equals(content.endpoints())
                    && SliceGroup.of(slice).equals(group)
                    && Meta.labels(slice).equals(Meta.labels(desired))
                    && Owners.references(slice).equals(Owners.references(desired));
            if (!same) {
                desired.set("endpoints", content.endpoints());
                desired.set("ports", group.ports());
                updated.add(rewritten(slice, desired));
            }
        }

        /**
         * Rewrites unneeded slices in place of new ones, as Kubernetes' controller does. A proxy loses the time of the
         * endpoints' change if a slice of the Service is deleted at the same time.
         */
        void recycle() {
            for (ObjectNode wanted : List.copyOf(created)) {
                unused.stream()
                        .filter(slice -> slice.path("addressType").equals(wanted.path("addressType")))
                        .findFirst()
                        .ifPresent(slice -> {
                            updated.add(rewritten(slice, wanted));
                            created.remove(wanted);
                            unused.remove(slice);
                        });
            }
        }

        /** A slice with the content, labels and owner of the desired one. */
        private static ObjectNode rewritten(ObjectNode slice, ObjectNode desired) {
            ObjectNode copy = slice.objectNode();
            copy.setAll(slice);
            copy.set("metadata", slice.path("metadata").deepCopy());
            copy.set("endpoints", desired.path("endpoints"));
            copy.set("ports", desired.path("ports"));
            ObjectNode metadata = copy.withObjectProperty("metadata");
            metadata.set("labels", Meta.labels(desired));
            metadata.set("ownerReferences", Owners.references(desired));
            return copy;
        }
    }
}
