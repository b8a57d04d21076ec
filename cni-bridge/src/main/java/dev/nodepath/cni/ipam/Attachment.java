package dev.nodepath.cni.ipam;

import java.util.Optional;

/**
 * What one ADD makes and one DEL removes, and what owns addresses: a container's interface on a network.
 *
 * @param containerId given by the runtime; unique on the node
 * @param ifname the interface's name inside the container
 */
public record Attachment(String containerId, String ifname) {
    private static final String LINE_END = "\r\n";

    /** The longest name of a file, in bytes: {@code NAME_MAX}. */
    private static final int FILE_NAME_MAX = 255;

    /** The content of the owner's address files, as host-local writes it; very old ones hold the container ID alone. */
    String owner() {
        return containerId + LINE_END + ifname;
    }

    /** The attachment whose {@link #owner} this is; without an interface for a very old one. */
    static Attachment ofOwner(String owner) {
        int end = owner.indexOf(LINE_END);
        return end < 0
                ? new Attachment(owner, "")
                : new Attachment(owner.substring(0, end), owner.substring(end + LINE_END.length()));
    }

    /** Whether an owner is this attachment, or the whole container in the way of very old files. */
    boolean isOwner(String owner) {
        return owner.equals(owner()) || owner.equals(containerId);
    }

    /** A name for a file; neither half can have a colon. Empty if it would be too long. */
    Optional<String> fileName() {
        String name = containerId + ":" + ifname;
        return name.length() > FILE_NAME_MAX ? Optional.empty() : Optional.of(name);
    }
}
