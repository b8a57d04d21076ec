package dev.nodepath.cni.ipam;

import java.util.Optional;

/**
 * A container's interface on a network. An ADD makes it and a DEL removes it. It owns addresses.
 *
 * @param containerId given by the runtime; unique on the node
 * @param ifname the interface's name inside the container
 */
public record Attachment(String containerId, String ifname) {
    private static final String LINE_END = "\r\n";

    /** The longest name of a file, in bytes: {@code NAME_MAX}. */
    private static final int FILE_NAME_MAX = 255;

    /**
     * The content of the owner's address files, as host-local writes it. Very old files hold the container ID alone.
     */
    String owner() {
        return containerId + LINE_END + ifname;
    }

    /** The attachment of an {@link #owner}. It has no interface if it comes from a very old file. */
    static Attachment ofOwner(String owner) {
        int end = owner.indexOf(LINE_END);
        return end < 0
                ? new Attachment(owner, "")
                : new Attachment(owner.substring(0, end), owner.substring(end + LINE_END.length()));
    }

    /** Whether an owner is this attachment, or its whole container in a very old file. */
    boolean isOwner(String owner) {
        return owner.equals(owner()) || owner.equals(containerId);
    }

    /** Whether it is another interface of the same container. A very old file names no interface. */
    boolean isOtherInterfaceOf(Attachment other) {
        return containerId.equals(other.containerId) && !ifname.isEmpty() && !ifname.equals(other.ifname);
    }

    /** A file name for the attachment. The parts of the name have no colon. Empty if the name would be too long. */
    Optional<String> fileName() {
        String name = containerId + ":" + ifname;
        return name.length() > FILE_NAME_MAX ? Optional.empty() : Optional.of(name);
    }
}
