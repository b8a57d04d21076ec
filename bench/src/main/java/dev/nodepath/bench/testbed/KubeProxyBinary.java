package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The binary of {@code --kube-proxy}. It is asked for its version only once, because its start is timed. */
public final class KubeProxyBinary {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    /** How the help of {@code --proxy-mode} names the mode. */
    private static final String USERSPACE_HELP = "'userspace'";

    private final Path path;

    /** Empty until it has told one. */
    private Optional<KubeProxyVersion> version = Optional.empty();

    /** The binary at this path, which is not started yet. */
    public KubeProxyBinary(Path path) {
        this.path = path;
    }

    /** The missing parts for its measurement in a mode; empty if there are none. */
    static Optional<String> missing(Programs programs, Contender contender) {
        return programs.kubeProxy()
                .map(binary -> binary.missing(contender))
                .orElseGet(() -> Optional.of(contender + ": not given (--kube-proxy PATH)"));
    }

    private Optional<String> missing(Contender contender) {
        if (!Files.isExecutable(path)) {
            return Optional.of(contender + ": " + path + ": no executable file (expected: what --kube-proxy names)");
        }
        return switch (contender) {
            case KUBE_PROXY_NFTABLES -> missingNftables().map(why -> contender + ": " + why);
            case KUBE_PROXY_USERSPACE -> missingUserspace().map(why -> contender + ": " + why);
            default -> Optional.empty();
        };
    }

    /** Its help decides, because a binary without a version number may have the mode, too. */
    private Optional<String> missingUserspace() {
        return ask("--help").filter(help -> help.contains(USERSPACE_HELP)).isPresent()
                ? Optional.empty()
                : Optional.of(path + " --help: no userspace mode (expected: Kubernetes v1.25 or older)");
    }

    private Optional<String> missingNftables() {
        Optional<KubeProxyVersion> known = version();
        if (known.isEmpty()) {
            return Optional.of(path + " --version: no version (expected: Kubernetes v1.29 or newer)");
        }
        if (!known.get().hasNftables()) {
            return Optional.of(path + " is " + known.get() + " (expected: v1.29 or newer, the first with this mode)");
        }
        return Command.exists("nft")
                ? Optional.empty()
                : Optional.of("nft: not installed, and kube-proxy runs it (Debian package nftables)");
    }

    private synchronized Optional<KubeProxyVersion> version() {
        if (version.isEmpty()) {
            version = ask("--version").flatMap(KubeProxyVersion::parse);
        }
        return version;
    }

    private Optional<String> ask(String question) {
        try {
            return Optional.of(Command.output(List.of(path.toString(), question), ANSWER_MAX));
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
        switch (contender) {
            case KUBE_PROXY_NFTABLES -> {
                command.add("--proxy-mode=nftables");
                version().ifPresent(known -> command.addAll(known.nftablesOptions()));
            }
            case KUBE_PROXY_USERSPACE ->
                command.addAll(List.of("--proxy-mode=userspace", "--feature-gates=EndpointSliceProxying=false"));
            default -> command.add("--proxy-mode=iptables");
        }
        return command;
    }
}
