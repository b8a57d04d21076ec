package dev.nodepath.agent.install;

import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file beside the network's configuration. It is there while NetworkPolicies are in force, and says whether
 * ClusterNetworkPolicies are among them. After the node's restart it is there before the agent and its tables are. The
 * plugin starts no pod then.
 */
public final class PolicyMark {
    /** No runtime takes it for a configuration. */
    private static final String NAME = "10-nodepath.policies";

    private static final String TEXT = "NetworkPolicies are in force on this node: new pods wait for the agent."
            + " 'nodepath cleanup' removes this.\n";

    private static final String CLUSTER_TEXT = "ClusterNetworkPolicies are among them.\n";

    private final Path folder;

    /** The mark of this node. */
    public PolicyMark(HostFolders folders) {
        this.folder = folders.here(folders.conf());
    }

    /** Its path as the node has it. */
    static Path onNode(HostFolders folders) {
        return folders.conf().resolve(NAME);
    }

    /** Its path as this process has it. */
    public Path path() {
        return folder.resolve(NAME);
    }

    /** Whether it exists and tells that ClusterNetworkPolicies were in force. True if it cannot be read. */
    public boolean hasClusterPolicies() {
        try {
            return Files.readString(path()).endsWith(CLUSTER_TEXT);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Makes sure that it exists, also on the disk.
     *
     * @param cluster whether ClusterNetworkPolicies are to be in force
     * @throws IOException if it cannot be; the message names the option and the folder
     */
    public void put(boolean cluster) throws IOException {
        String text = cluster ? TEXT + CLUSTER_TEXT : TEXT;
        try {
            if (!hasText(text)) {
                SharedFolder.make(folder);
                FileSteps.replaceText(path(), text);
            }
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }

    private boolean hasText(String text) {
        try {
            return Files.readString(path()).equals(text);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Makes sure that it is not there.
     *
     * @throws IOException if it cannot be; the message names the option and the folder
     */
    public void remove() throws IOException {
        try {
            FileSteps.delete(path());
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }
}
