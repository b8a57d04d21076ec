package dev.nodepath.apiserver.patch;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.patch.ManagedFields.Owner;
import dev.nodepath.apiserver.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Fields that other managers own with other values than the applied ones, and the refusal that names them as
 * kube-apiserver does.
 */
final class ApplyConflicts {
    private final Resource resource;
    private final ManagedFields managed;
    private final Map<String, NavigableSet<FieldPath>> byOwner = new TreeMap<>();

    ApplyConflicts(Resource resource, ManagedFields managed) {
        this.resource = resource;
        this.managed = managed;
    }

    void add(Owner owner, FieldPath path) {
        byOwner.computeIfAbsent(text(owner), each -> new TreeSet<>()).add(path);
    }

    void refuse(String name) {
        if (byOwner.isEmpty()) {
            return;
        }
        List<StatusException.Cause> causes = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        byOwner.forEach((owner, paths) -> {
            lines.add("conflicts with " + owner + ":");
            for (FieldPath path : paths) {
                causes.add(
                        new StatusException.Cause("FieldManagerConflict", "conflict with " + owner, path.toString()));
                lines.add("- " + path);
            }
        });
        String message = causes.size() == 1
                ? "Apply failed with 1 conflict: " + causes.get(0).message() + ": "
                        + causes.get(0).field()
                : "Apply failed with " + causes.size() + " conflicts: " + String.join("\n", lines);
        throw new StatusException(409, "Conflict", message, resource.group(), resource.plural(), name, causes);
    }

    private String text(Owner owner) {
        String name = "\"" + owner.name() + "\""
                + (owner.subresource().isEmpty() ? "" : " with subresource \"" + owner.subresource() + "\"");
        String time = managed.time(owner);
        return owner.operation().equals("Update")
                ? name + " using " + resource.apiVersion() + (time.isEmpty() ? "" : " at " + time)
                : name;
    }
}
