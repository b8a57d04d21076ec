package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.InspectImageResponse;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** The content of the image, and its run as it is: without network, without rights, with nothing to write to. */
@Tag("docker")
@Timeout(900)
class ImageTest {
    private static final long BYTES_MAX = 250_000_000;

    /** The limit of scripts/kind/nodepath.yaml. */
    private static final long MEMORY_MAX = 1L << 30;

    @Test
    void isSmallAndSaysWhatItIs() throws Exception {
        InspectImageResponse image = Image.load();
        assertThat(image.getSize()).isLessThan(BYTES_MAX);
        Map<String, String> labels =
                Objects.requireNonNull(Objects.requireNonNull(image.getConfig()).getLabels());
        assertThat(labels)
                .containsEntry("org.opencontainers.image.title", "Nodepath")
                .containsEntry("org.opencontainers.image.licenses", "Apache-2.0")
                .containsEntry("org.opencontainers.image.version", Home.VERSION)
                .containsKeys(
                        "org.opencontainers.image.revision",
                        "org.opencontainers.image.created",
                        "org.opencontainers.image.base.name");
        // The layers of the base, iptables, the runtime, libraries, our own jars, and the archive of classes.
        assertThat(Objects.requireNonNull(image.getRootFS()).getLayers()).hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void hasWhatANodeNeedsAndNoMore() throws Exception {
        Image.load();
        try (GenericContainer<?> container = container()) {
            container.start();
            assertThat(output(container, "iptables-nft", "--version")).contains("nf_tables");
            assertThat(output(container, "iptables-legacy", "--version")).contains("legacy");
            assertThat(output(container, "nodepath", "--version")).matches("nodepath [0-9]\\S*\\s*");
            assertThat(output(
                            container,
                            "sh",
                            "-c",
                            "for tool in nft cc gcc javac mvn curl git; do command -v $tool; done; :"))
                    .isEmpty();
            assertThat(output(container, "sh", "-c", "cd /usr/lib/nodepath/lib && ls | grep -cE 'jmh|test'; :"))
                    .isEqualTo("0");
        }
    }

    /** The image has an archive for agents alone. */
    @Test
    void startsWithTheArchiveOfItsClasses() throws Exception {
        Image.load();
        try (GenericContainer<?> container = container()) {
            container.start();
            String loaded =
                    output(container, "env", "JAVA_TOOL_OPTIONS=-Xlog:class+load", "nodepath", "agent", "--version");
            assertThat(loaded)
                    .contains("dev.nodepath.cli.Nodepath source: shared objects file")
                    .doesNotContainPattern("dev\\.nodepath\\S* source: file:");
        }
    }

    @Test
    void rendersRulesInAContainerWithoutRights() throws Exception {
        Image.load();
        try (GenericContainer<?> container = container()) {
            container.start();
            String manifest = """
                    apiVersion: v1
                    kind: Service
                    metadata: {namespace: default, name: web}
                    spec: {clusterIP: 10.96.0.10, ports: [{port: 80}]}
                    """;
            // A manifest cannot be read from a pipe; this folder is the only writable one.
            String rules = output(
                    container,
                    "sh",
                    "-ec",
                    "printf '%s' '" + manifest
                            + "' >/tmp/web.yaml; nodepath render --mode iptables --manifests /tmp/web.yaml");
            assertThat(rules).contains("default/web has no endpoints", "-d 10.96.0.10 --dport 80 -j REJECT", "COMMIT");
        }
    }

    private static String output(GenericContainer<?> container, String... command) throws Exception {
        ExecResult result = container.execInContainer(command);
        assertThat(result.getExitCode()).as(result.toString()).isZero();
        return result.getStdout().strip();
    }

    private static GenericContainer<?> container() {
        return new GenericContainer<>(Image.NAME).withNetworkMode("none").withCreateContainerCmdModifier(create -> {
            create.withEntrypoint("sleep", "infinity");
            Objects.requireNonNull(create.getHostConfig())
                    .withReadonlyRootfs(true)
                    .withMemory(MEMORY_MAX)
                    .withCapDrop(com.github.dockerjava.api.model.Capability.ALL)
                    .withTmpFs(Map.of("/tmp", "size=64m"));
        });
    }
}
