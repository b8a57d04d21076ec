package dev.nodepath.agent.install;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The settings of the node's pod network.
 *
 * @param stateDir where the addresses in use are kept; has to be the same folder for this process and for the node
 * @param mtu of the pods' links, in bytes; empty for the largest that fits through the node's links
 * @param checksSources whether pods may send only with their own MAC and addresses, if the kernel can check it
 */
public record NetworkSettings(HostFolders folders, Path stateDir, Optional<Integer> mtu, boolean checksSources) {
    /** The least that IPv4 allows (RFC 791). */
    public static final int MTU_MIN = 68;

    /** The most that a link has. */
    public static final int MTU_MAX = 65535;

    /** Checks the MTU. */
    public NetworkSettings {
        if (mtu.isPresent() && (mtu.get() < MTU_MIN || mtu.get() > MTU_MAX)) {
            throw new IllegalArgumentException(
                    "--mtu: " + mtu.get() + " (expected: " + MTU_MIN + " to " + MTU_MAX + ")");
        }
    }
}
