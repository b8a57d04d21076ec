package dev.nodepath.apiserver;

import java.util.OptionalLong;

/**
 * How to delete an object.
 *
 * @param graceSeconds for a Pod; empty for the Pod's own {@code terminationGracePeriodSeconds}
 * @param propagation the fate of dependents: {@code Background}, {@code Foreground} or {@code Orphan}
 * @param uid only an object with this uid; empty for any
 * @param resourceVersion only an object with this version; empty for any
 */
public record Deletion(OptionalLong graceSeconds, String propagation, String uid, String resourceVersion) {
    /** With the object's own grace; dependents follow in the background. */
    public static final Deletion DEFAULT = new Deletion(OptionalLong.empty(), "Background", "", "");
    /** At once, without grace. */
    public static final Deletion NOW = new Deletion(OptionalLong.of(0), "Background", "", "");
}
