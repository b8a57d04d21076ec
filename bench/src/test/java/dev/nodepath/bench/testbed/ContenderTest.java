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
                        Contender.HAPROXY,
                        Contender.HAPROXY_DNAT,
                        Contender.NGINX);
        assertThat(Lineup.wanted(settings("none", Optional.empty()), ALL))
                .containsExactly(Contender.DIRECT, Contender.USERSPACE, Contender.IPTABLES);
        assertThat(Lineup.wanted(settings("nginx", Optional.of(folder)), ALL))
                .containsExactly(
                        Contender.DIRECT,
                        Contender.USERSPACE,
                        Contender.IPTABLES,
                        Contender.NGINX,
                        Contender.KUBE_PROXY);
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        Path binary = folder.resolve("kube-proxy");
        Programs programs = new Programs(List.of("nodepath"), Optional.of(binary));
        assertThat(Contender.KUBE_PROXY.missing(programs))
                .hasValue("kube-proxy: " + binary + ": no executable file (expected: what --kube-proxy names)");
        assertThat(Contender.KUBE_PROXY.missing(new Programs(List.of("nodepath"), Optional.empty())))
                .hasValue("kube-proxy: not given (--kube-proxy PATH)");
        Files.writeString(binary, "#!/bin/sh\n");
        assertThat(binary.toFile().setExecutable(true)).isTrue();
        assertThat(Contender.KUBE_PROXY.missing(programs)).isEmpty();
        assertThat(Contender.DIRECT.missing(programs)).isEmpty();
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
