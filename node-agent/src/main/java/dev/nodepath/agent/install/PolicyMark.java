package dev.nodepath.agent.install;

import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file beside the network's configuration. It is there while NetworkPolicies are in force. After the node's restart it
 * is there before the agent and its tables are. The plugin starts no pod then.
 */
public final class PolicyMark {
    /** No runtime takes it for a configuration. */
    private static final String NAME = "10-nodepath.policies";

    private static final String TEXT =
            "NetworkPolicies are in force on this node: new pods wait for the agent. 'nodepath cleanup' removes this.\n";

    private final Path folder;

    /** The mark of this node. */
    public PolicyMark(HostFolders folders) {
        this.folder = folders.here(folders.conf());
    }

    /** Its path as the node has it. */
    static Path onNode(HostFolders folders) {
        return folders.conf().resolve(NAME);
    }

    /** Whether it is there. */
    public boolean exists() {
        return Files.exists(folder.resolve(NAME));
    }

    /**
     * Makes sure that it is there.
     *
     * @throws IOException if it cannot be; the message names the option and the folder
     */
    public void put() throws IOException {
        try {
            if (!exists()) {
                SharedFolder.make(folder);
                FileSteps.replaceText(folder.resolve(NAME), TEXT);
            }
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }

    /**
     * Makes sure that it is not there.
     *
     * @throws IOException if it cannot be; the message names the option and the folder
     */
    public void remove() throws IOException {
        try {
            FileSteps.delete(folder.resolve(NAME));
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }
}
