package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.containers.Container.ExecResult;

/**
 * The capabilities in the manifest are the fewest that the agent works with: all of them suffice, and without one of
 * them it fails and names the failed task. The node needs every one of them: its kubelet uses legacy iptables, and its
 * plugins have an owner of their own.
 */
@Tag("docker")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CapabilitiesTest {
    /** The agent's log without each capability. */
    private static final Map<String, String> MISSED = Map.of(
            "NET_ADMIN", "CAP_NET_ADMIN: missing",
            "SYS_ADMIN", "start: /proc/sys cannot be made writable",
            "NET_RAW", "iptables.variant_unknown error=iptables-legacy-save",
            "SYS_CHROOT", "install.archive_missing error=chroot: ",
            "DAC_OVERRIDE", "part=network error=--cni-bin-dir /host/opt/cni/bin: ");

    private static final int OTHER_USER = 1001;

    private final OpenedResources closing = new OpenedResources();

    @SuppressWarnings("NullAway.Init")
    private DockerCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private DockerNode node;

    @SuppressWarnings("NullAway.Init")
    private AgentStart manifest;

    @BeforeAll
    void startMachine() throws Exception {
        cluster = new DockerCluster();
        closing.add(cluster);
        node = cluster.addNode("bare", 0, 1);
        node.with(start -> manifest = start);
        Path plugins = Files.createDirectories(node.opt().resolve("cni/bin"));
        Files.setAttribute(plugins, "unix:uid", OTHER_USER);
        assertThat(node.inMachine("iptables-legacy", "-t", "mangle", "-N", "KUBE-IPTABLES-HINT")
                        .getExitCode())
                .isZero();
    }

    /**
     * By SIGKILL: a shell that is the first process of a container ignores other signals, and Java may not have begun.
     */
    @AfterEach
    void removeAgent() {
        node.removeAgent();
    }

    @AfterAll
    void endMachine() {
        closing.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"iptables", "nftables", "userspace"})
    @Order(1)
    void allAreEnough(String mode) throws Exception {
        node.with(start -> manifest.withMode(mode)).startAgent().awaitReady();
        Pod pod = cluster.addPod(node, "pod");
        Pod client = cluster.addClient(node, "client");
        for (IpFamily family : IpFamily.values()) {
            node.await("the Service by " + family, () -> {
                try {
                    return client.ask(DockerCluster.clusterIp(family), DockerCluster.PORT)
                            .startsWith("pod ");
                } catch (IOException e) {
                    return false;
                }
            });
        }
        assertThat(legacyRules() + node.inNetwork("nft", "list", "tables"))
                .contains(
                        switch (mode) {
                            case "iptables" -> ":KUBE-SERVICES";
                            case "nftables" -> "table ip6 kube-proxy";
                            default -> "table ip6 nodepath-portals";
                        });
        node.await("archive of classes", () -> Files.exists(archive()));
        cluster.removePod(pod);
        node.removePod(client);
        assertThat(node.log()).doesNotContain(" WARN ", " ERROR ", "start:");
    }

    @Test
    @Order(2)
    void podsAreWiredByWhomMayEnterThem() throws Exception {
        node.with(start -> manifest.without("SYS_ADMIN")).startAgent();
        node.await("CNI server", () -> node.log().contains("cni.started"));
        node.addNamespace("refused");
        ExecResult result = node.tryCni("ADD", "refused");
        assertThat(result.getExitCode()).as(result.toString()).isNotZero();
        assertThat(result.getStdout()).contains("EPERM");
    }

    @ParameterizedTest
    @MethodSource("capabilities")
    @Order(3)
    void eachIsMissed(String capability) throws Exception {
        // The agent would not make the results of an earlier agent again.
        Files.deleteIfExists(archive());
        Files.deleteIfExists(plugin());
        node.with(start -> manifest.without(capability)).startAgent();
        String problem = Objects.requireNonNull(MISSED.get(capability), capability);
        node.await(capability + ": " + problem, () -> node.log().contains(problem));
        switch (capability) {
            case "DAC_OVERRIDE" -> assertThat(plugin()).doesNotExist();
            case "SYS_CHROOT" -> assertThat(archive()).doesNotExist();
            case "NET_RAW" -> awaitRulesOfTheOtherVariant();
            default -> {}
        }
    }

    /** The removal's capabilities suffice to remove everything. */
    @Test
    @Order(4)
    void theRemovalHasEnough() throws Exception {
        node.with(start -> manifest).startAgent().awaitReady();
        node.removeAgent();
        assertThat(legacyRules()).contains(":KUBE-SERVICES");
        node.run(AgentContainer.ofRemoval());
        assertThat(legacyRules()).doesNotContain(":KUBE-SERVICES");
        assertThat(plugin()).doesNotExist();
    }

    private String legacyRules() throws Exception {
        return node.inMachine("iptables-legacy-save", "-t", "nat").getStdout();
    }

    /** The kubelet's rules are legacy ones, and so are those of every agent that sees them. */
    private void awaitRulesOfTheOtherVariant() throws Exception {
        node.await(
                "rules of nf_tables",
                () -> node.inMachine("iptables-nft-save", "-t", "nat")
                        .getStdout()
                        .contains(":KUBE-SERVICES"));
    }

    private List<String> capabilities() {
        return manifest.capabilities();
    }

    private Path plugin() {
        return node.opt().resolve("cni/bin/nodepath-bridge");
    }

    private Path archive() {
        return node.opt().resolve("nodepath/current/lib/nodepath-bridge.jsa");
    }
}
