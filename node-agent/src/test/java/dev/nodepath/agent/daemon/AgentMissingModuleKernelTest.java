package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An agent on a node whose kernel has br_netfilter as a module that is not loaded yet. */
@Tag("vm")
class AgentMissingModuleKernelTest extends AgentNodeFixture {
    private static final Path MODULE = Path.of("/sys/module/br_netfilter");

    /** As an administrator forbids it. */
    private static final Path FORBIDDING = Path.of("/etc/modprobe.d/np-test.conf");

    @BeforeEach
    void unload() throws Exception {
        run("modprobe", "-r", "xt_physdev", "br_netfilter");
        assertThat(MODULE).doesNotExist();
    }

    @AfterEach
    void load() throws Exception {
        Files.deleteIfExists(FORBIDDING);
        run("modprobe", "br_netfilter");
    }

    /** As in the DaemonSet's container. */
    @Test
    void hasTheKernelLoadItWithoutTheRightToLoadModules() throws Exception {
        NodepathProcess agent =
                node.agentAfter("exec setpriv --bounding-set=-sys_module --inh-caps=-sys_module \"$@\"", "agent");
        agent.awaitLog("network.configured");
        assertThat(MODULE).exists();
        assertThat(agent.log()).doesNotContain("BridgeNetfilterMissing");
        assertThat(node.namespace().run("iptables-save")).doesNotContain("physdev");
    }

    @Test
    void saysWhatToDoWhereThatIsForbidden() throws Exception {
        Files.createDirectories(FORBIDDING.getParent());
        Files.writeString(FORBIDDING, "install br_netfilter /bin/false\n");
        NodepathProcess agent = node.agent("agent");
        agent.awaitLog("reason=BridgeNetfilterMissing");
        assertThat(agent.log()).contains("'modprobe br_netfilter' on this node");
        agent.awaitLog("proxy.synced");
        assertThat(node.conflist()).doesNotExist();
        assertThat(MODULE).doesNotExist();

        run("modprobe", "--ignore-install", "br_netfilter");
        agent.awaitLog("network.configured");
        assertThat(node.conflist()).exists();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    }
}
