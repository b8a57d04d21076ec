package dev.nodepath.proxy.userspace.portals;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A portal that was added, removed or changed.
 *
 * @param before null if there was none
 * @param after null if it was removed
 */
public record PortalChange(
        /** The identity of the changed portal. */
        @Nullable Portal before, @Nullable Portal after) {
    public Portal.Key key() {
        return (after != null ? after : Objects.requireNonNull(before)).key();
    }
}
