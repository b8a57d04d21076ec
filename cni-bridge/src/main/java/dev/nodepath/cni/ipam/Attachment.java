package dev.nodepath.cni.ipam;

/**
 * What one ADD makes and one DEL removes, and what owns addresses: a container's interface on a network.
 *
 * @param containerId given by the runtime; unique on the node
 * @param ifname the interface's name inside the container
 */
public record Attachment(String containerId, String ifname) {

    /** The content of the owner's address files, as host-local writes it; very old ones hold the container ID alone. */
    String owner() {
        return containerId + "\r\n" + ifname;
    }
}
