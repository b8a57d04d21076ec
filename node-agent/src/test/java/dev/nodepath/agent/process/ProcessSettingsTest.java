package dev.nodepath.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ConntrackOptions;
import dev.nodepath.agent.options.OomScore;
import dev.nodepath.agent.proxy.ConntrackSettings;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class ProcessSettingsTest {
    private static final String FORWARD = "net/ipv4/ip_forward";
    private static final String MAX = "net/netfilter/nf_conntrack_max";

    @TempDir
    private Path folder;

    private static ConntrackOptions conntrack(String... arguments) {
        ConntrackOptions options = new ConntrackOptions();
        CommandSpec spec = CommandSpec.create();
        spec.addMixin("conntrack", CommandSpec.forAnnotatedObject(options));
        new CommandLine(spec).parseArgs(arguments);
        return options;
    }

    @ParameterizedTest
    @CsvSource({
        "'', 2, 131072",
        "'', 8, 262144",
        "--conntrack-max-per-core=0, 8,",
        "--conntrack-max-per-core=10 --conntrack-min=5, 2, 20",
    })
    void theLimitOfFlowsIsKubeProxys(String arguments, int processors, @Nullable String max) throws Exception {
        assertThat(conntrack(arguments.isEmpty() ? new String[0] : arguments.split(" ", -1))
                        .settings(processors)
                        .get(MAX))
                .isEqualTo(max);
    }

    @Test
    void timeoutsAreKubeProxysAndZeroLeavesThem() throws CommandException {
        assertThat(conntrack("--conntrack-max-per-core=0").settings(1))
                .isEqualTo(Map.of(
                        "net/netfilter/nf_conntrack_tcp_timeout_established", "86400",
                        "net/netfilter/nf_conntrack_tcp_timeout_close_wait", "3600"));
        assertThat(conntrack(
                                "--conntrack-max-per-core=0",
                                "--conntrack-tcp-timeout-established=0s",
                                "--conntrack-tcp-timeout-close-wait=0s",
                                "--conntrack-tcp-be-liberal",
                                "--conntrack-udp-timeout=1m")
                        .settings(1))
                .isEqualTo(Map.of(
                        "net/netfilter/nf_conntrack_tcp_be_liberal", "1",
                        "net/netfilter/nf_conntrack_udp_timeout", "60"));
    }

    @Test
    void aSettingThatCannotBeWrittenIsLeft() throws LinuxNetException {
        FakeLinuxNet kernel = new FakeLinuxNet();
        NetworkNamespace namespace = kernel.current();
        kernel.failNext("setSysctl", Errno.EROFS);
        ConntrackSettings.apply(namespace, Map.of(FORWARD, "1"));
        assertThat(namespace.sysctl(FORWARD)).isEqualTo("0");
        ConntrackSettings.apply(namespace, Map.of(FORWARD, "1", "net/no/such", "1"));
        assertThat(namespace.sysctl(FORWARD)).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({"131072, 16384, 32768", "131072, 40000, 40000", "1000, 16384, 16384", "131072, no number, no number"})
    void theTableHasABucketForFourFlows(String max, String before, String after) throws Exception {
        Path file = Files.writeString(folder.resolve("hashsize"), before);
        NetworkNamespace namespace = new FakeLinuxNet().current();
        namespace.setSysctl(MAX, "1000");
        ConntrackSettings.apply(namespace, Map.of(MAX, max), file);
        assertThat(file).content().isEqualTo(after);
    }

    @Test
    void theTableStaysIfTheLimitCannotBeRaised() throws Exception {
        Path file = Files.writeString(folder.resolve("hashsize"), "1");
        FakeLinuxNet kernel = new FakeLinuxNet();
        kernel.current().setSysctl(MAX, "1000");
        kernel.failNext("setSysctl", Errno.EROFS);
        ConntrackSettings.apply(kernel.current(), Map.of(MAX, "131072"), file);
        assertThat(file).content().isEqualTo("1");
    }

    @Test
    void howEagerTheKernelIsToEndItIsSetAndTold() throws Exception {
        Path file = Files.writeString(folder.resolve("oom_score_adj"), "0\n");
        try (LogCapture log = new LogCapture(OomScore.class)) {
            OomScore.adjust(-999, file);
            OomScore.adjust(-999, file);
            assertThat(file).content().isEqualTo("-999");
            assertThat(log.lines()).containsExactly("before=0 now=-999 process.oom_score_set");
        }
    }

    /** As for a container without CAP_SYS_RESOURCE. */
    @Test
    void thatItCannotBeLoweredIsSaidAndEndsNothing() {
        try (LogCapture log = new LogCapture(OomScore.class)) {
            OomScore.adjust(-999, folder);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("now=unknown requested=-999 error=")
                    .endsWith("process.oom_score_not_set");
            assertThat(log.warnings("oom")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CapEff:\t000001ffffffffff", "CapEff:\t0000000000001000"})
    void netAdminIsEnough(String line) {
        assertThatCode(() -> Capability.requireNetAdmin(line)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CapEff:\t0000000000000000", "CapEff:\t0000000000000400", ""})
    void theMissingCapabilityIsNamed(String line) {
        assertThatThrownBy(() -> Capability.requireNetAdmin(line))
                .hasMessage("CAP_NET_ADMIN: missing (expected: root, or a container with the capability NET_ADMIN)");
    }
}
