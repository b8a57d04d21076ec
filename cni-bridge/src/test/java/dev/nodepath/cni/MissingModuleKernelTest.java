package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose kernel has br_netfilter as a module that is not loaded yet. */
@Tag("vm")
class MissingModuleKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "np-node";
    private static final String POD = "np-pod";

    @TempDir
    private Path dataDir;

    private Invocation invocation = new TestNode(Path.of("")).invocation;

    @BeforeEach
    void unload() throws Exception {
        KERNEL.create(NODE).close();
        KERNEL.create(POD).close();
        invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, NODE), LinkRemoval.immediate());
        TestCommand.run("modprobe", "-r", "xt_physdev", "br_netfilter");
    }

    @AfterEach
    void load() throws Exception {
        TestCommand.run("modprobe", "br_netfilter");
        KERNEL.delete(POD);
        KERNEL.delete(NODE);
    }

    @Test
    void saysSoAndIsReadyOnceSomebodyHasLoadedIt() throws Exception {
        String config = config(true);
        assertThat(call("STATUS", config).stdout()).contains("\"code\":50", "br_netfilter", "modprobe br_netfilter");
        assertThat(call("ADD", config).stdout()).contains("br_netfilter is not loaded");
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace pod = KERNEL.openNamed(POD)) {
            assertThat(node.links()).extracting(Link::name).containsExactly("lo");
            assertThat(pod.links()).extracting(Link::name).containsExactly("lo");
        }
        assertThat(dataDir.resolve("n/10.1.2.2")).doesNotExist();

        TestCommand.run("modprobe", "br_netfilter");
        for (String command : new String[] {"STATUS", "ADD", "DEL"}) {
            assertSucceeds(command, config);
        }
    }

    @Test
    void needsItOnlyForWhatTheConfigurationAsks() throws Exception {
        for (String command : new String[] {"STATUS", "ADD", "DEL"}) {
            assertSucceeds(command, config(false));
        }
    }

    private void assertSucceeds(String command, String config) {
        CallOutcome outcome = call(command, config);
        assertThat(outcome.exitCode()).as(command + ": " + outcome.stdout()).isZero();
    }

    private CallOutcome call(String command, String config) {
        Map<String, String> environment =
                TestNode.environment(command, POD, KERNEL.path(POD).toString());
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }

    private String config(boolean bridgeNetfilter) {
        return "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"x\",\"bridge\":\"bridge0\",\"isGateway\":true,"
                + "\"bridgeNetfilter\":" + bridgeNetfilter + ",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\""
                + dataDir + "\",\"subnet\":\"10.1.2.0/24\"}}";
    }
}
