package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.bench.suite.Peers;
import dev.nodepath.bench.suite.SuiteSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContenderTest {
    private static final List<Contender> ALL = List.of(Contender.values());

    @TempDir
    private Path folder;

    @Test
    void peersAreWantedUnlessSwitchedOff() {
        assertThat(Lineup.wanted(settings("auto", Optional.empty()), ALL))
                .containsExactly(
                        Contender.DIRECT,
                        Contender.USERSPACE,
                        Contender.IPTABLES,
                        Contender.NFTABLES,
                        Contender.HAPROXY,
                        Contender.HAPROXY_DNAT,
                        Contender.NGINX);
        assertThat(Lineup.wanted(settings("none", Optional.empty()), ALL))
                .containsExactly(Contender.DIRECT, Contender.USERSPACE, Contender.IPTABLES, Contender.NFTABLES);
        assertThat(Lineup.wanted(settings("nginx", Optional.of(folder)), ALL))
                .containsExactly(
                        Contender.DIRECT,
                        Contender.USERSPACE,
                        Contender.IPTABLES,
                        Contender.NFTABLES,
                        Contender.NGINX,
                        Contender.KUBE_PROXY,
                        Contender.KUBE_PROXY_NFTABLES,
                        Contender.KUBE_PROXY_USERSPACE);
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        Path binary = folder.resolve("kube-proxy");
        Programs programs = new Programs(List.of("nodepath"), Optional.of(new KubeProxyBinary(binary)));
        assertThat(Contender.KUBE_PROXY.missing(programs))
                .hasValue("kube-proxy: " + binary + ": no executable file (expected: what --kube-proxy names)");
        assertThat(Contender.KUBE_PROXY.missing(new Programs(List.of("nodepath"), Optional.empty())))
                .hasValue("kube-proxy: not given (--kube-proxy PATH)");
        Files.writeString(binary, "#!/bin/sh\n");
        assertThat(binary.toFile().setExecutable(true)).isTrue();
        assertThat(Contender.KUBE_PROXY.missing(programs)).isEmpty();
        assertThat(Contender.DIRECT.missing(programs)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            echo Kubernetes v1.36.1 | |
            echo Kubernetes v1.28.3 | kube-proxy-nftables: %s is v1.28.3 (expected: v1.29 or newer, the first with this mode)
            echo something          | kube-proxy-nftables: %s --version: no version (expected: Kubernetes v1.29 or newer)
            exit 1                  | kube-proxy-nftables: %s --version: no version (expected: Kubernetes v1.29 or newer)
            """)
    void itsVersionDecidesWhetherKubeProxyTakesPartInNftablesMode(String line, String expected) throws Exception {
        Path binary = TestPrograms.kubeProxy(folder, line);
        Programs programs = new Programs(List.of("nodepath"), Optional.of(new KubeProxyBinary(binary)));
        assertThat(Contender.KUBE_PROXY.missing(programs)).isEmpty();
        assertThat(Contender.KUBE_PROXY_NFTABLES.missing(programs))
                .isEqualTo(Optional.ofNullable(expected).map(text -> text.formatted(binary)));
    }

    @Test
    void itsHelpDecidesWhetherKubeProxyTakesPartInUserspaceMode() throws Exception {
        Path binary = TestPrograms.kubeProxy(folder, "echo \"--proxy-mode: 'userspace' or 'iptables'\"");
        Programs programs = new Programs(List.of("nodepath"), Optional.of(new KubeProxyBinary(binary)));
        assertThat(Contender.KUBE_PROXY_USERSPACE.missing(programs)).isEmpty();
        TestPrograms.kubeProxy(folder, "echo \"--proxy-mode: 'iptables' or 'ipvs'\"");
        assertThat(Contender.KUBE_PROXY_USERSPACE.missing(programs))
                .hasValue("kube-proxy-userspace: " + binary
                        + " --help: no userspace mode (expected: Kubernetes v1.25 or older)");
    }

    /** Its start is timed, so a question then would add to it. */
    @Test
    void kubeProxyIsAskedForItsVersionOnce() throws Exception {
        Path asked = folder.resolve("asked");
        KubeProxyBinary binary = new KubeProxyBinary(
                TestPrograms.kubeProxy(folder, "echo asked >>" + asked + "; echo Kubernetes v1.30.1"));
        Programs programs = new Programs(List.of("nodepath"), Optional.of(binary));
        assertThat(Contender.KUBE_PROXY_NFTABLES.missing(programs)).isEmpty();
        assertThat(binary.command(Contender.KUBE_PROXY_NFTABLES, List.of()))
                .contains("--feature-gates=NFTablesProxyMode=true");
        assertThat(asked).hasContent("asked");
    }

    @Test
    void programsAreLookedForWhereTheyAreInstalled() {
        assertThat(Command.exists("sh")).isTrue();
        assertThat(Command.exists("no-such-program")).isFalse();
    }

    private static SuiteSettings settings(String peers, Optional<Path> kubeProxy) {
        return new SuiteSettings(1, true, Peers.parse(peers), kubeProxy, line -> {}, result -> {});
    }
}
