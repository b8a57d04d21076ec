package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The binary of {@code --kube-proxy}.
 *
 * @param path where it is
 */
record KubeProxyBinary(Path path) {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    /** What is missing to measure it in a mode; empty if nothing. */
    static Optional<String> missing(Programs programs, Contender contender) {
        if (programs.kubeProxy().isEmpty()) {
            return Optional.of(contender + ": not given (--kube-proxy PATH)");
        }
        Path path = programs.kubeProxy().get();
        if (!Files.isExecutable(path)) {
            return Optional.of(contender + ": " + path + ": no executable file (expected: what --kube-proxy names)");
        }
        return contender == Contender.KUBE_PROXY_NFTABLES
                ? new KubeProxyBinary(path).missingNftables().map(why -> contender + ": " + why)
                : Optional.empty();
    }

    private Optional<String> missingNftables() {
        Optional<KubeProxyVersion> version = version();
        if (version.isEmpty()) {
            return Optional.of(path + " --version: no version (expected: Kubernetes v1.29 or newer)");
        }
        if (!version.get().hasNftables()) {
            return Optional.of(path + " is " + version.get() + " (expected: v1.29 or newer, the first with this mode)");
        }
        return Command.exists("nft")
                ? Optional.empty()
                : Optional.of("nft: not installed, and kube-proxy runs it (Debian package nftables)");
    }

    private Optional<KubeProxyVersion> version() {
        try {
            return KubeProxyVersion.parse(Command.output(List.of(path.toString(), "--version"), ANSWER_MAX));
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /**
     * The command that runs it. It sets nothing of the whole machine, because a node in a namespace cannot.
     *
     * @param options where the API server is, and which Node it is
     */
    List<String> command(Contender contender, List<String> options) {
        List<String> command = new ArrayList<>(List.of(path.toString()));
        command.addAll(options);
        command.addAll(List.of(
                "--conntrack-max-per-core=0",
                "--conntrack-min=0",
                "--conntrack-tcp-timeout-established=0s",
                "--conntrack-tcp-timeout-close-wait=0s"));
        if (contender == Contender.KUBE_PROXY_NFTABLES) {
            command.add("--proxy-mode=nftables");
            version().ifPresent(version -> command.addAll(version.nftablesOptions()));
        } else {
            command.add("--proxy-mode=iptables");
        }
        return command;
    }
}
