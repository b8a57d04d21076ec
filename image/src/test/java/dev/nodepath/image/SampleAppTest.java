package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.containers.Container.ExecResult;
import org.testcontainers.containers.GenericContainer;

/** The sample app of {@code scripts/kind/up}: its interpreter is in the image, and it answers in both families. */
@Tag("docker")
@Timeout(900)
class SampleAppTest {
    private static final String AWAIT = "until perl /tmp/ask 127.0.0.1 8080 1; do sleep 0.1; done";

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void answersWithItsName(String address) throws Exception {
        try (GenericContainer<?> container = container("0")) {
            assertThat(output(container, "perl", "/tmp/ask", address, "8080", "2"))
                    .isEqualTo("echo-1\necho-1\n");
        }
    }

    @Test
    void answersWhereThereIsNoIpv6() throws Exception {
        try (GenericContainer<?> container = container("1")) {
            assertThat(output(container, "perl", "/tmp/ask", "127.0.0.1", "8080", "1"))
                    .isEqualTo("echo-1\n");
        }
    }

    @Test
    void findsNames() throws Exception {
        try (GenericContainer<?> container = container("0")) {
            container.execInContainer("sh", "-c", "printf '10.96.0.10 echo\\nfd00:10:96::a echo\\n' >>/etc/hosts");
            assertThat(output(container, "perl", "/tmp/resolve", "echo").lines())
                    .containsExactlyInAnyOrder("10.96.0.10", "fd00:10:96::a");
            ExecResult unknown = container.execInContainer("perl", "/tmp/resolve", "nobody");
            assertThat(unknown.getExitCode()).isNotZero();
            assertThat(unknown.getStderr()).startsWith("nobody: ");
        }
    }

    private static String output(GenericContainer<?> container, String... command) throws Exception {
        ExecResult result = container.execInContainer(command);
        assertThat(result.getExitCode()).as(result.toString()).isZero();
        return result.getStdout();
    }

    /** A container in which the app answers. */
    private static GenericContainer<?> container(String disableIpv6) throws Exception {
        Image.load();
        Map<String, String> app = DeployManifests.read(Home.KIND.resolve("sample.yaml"))
                .only(ConfigMap.class)
                .getData();
        GenericContainer<?> container = new GenericContainer<>(Image.NAME)
                .withNetworkMode("none")
                .withEnv("POD_NAME", "echo-1")
                .withCreateContainerCmdModifier(create -> {
                    create.withEntrypoint("sleep", "infinity");
                    Objects.requireNonNull(create.getHostConfig())
                            .withSysctls(Map.of("net.ipv6.conf.all.disable_ipv6", disableIpv6));
                });
        container.start();
        for (String file : app.keySet()) {
            output(container, "sh", "-c", "printf '%s' \"$1\" >/tmp/" + file, "sh", app.get(file));
        }
        output(container, "sh", "-c", "perl /tmp/serve >/dev/null 2>&1 & " + AWAIT);
        return container;
    }
}
