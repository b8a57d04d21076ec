package dev.nodepath.agent.options;

import dev.nodepath.linux.address.IpAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the health and metrics ports. */
final class StatusOptions {
    private static final String HEALTHZ = "--healthz-bind-address";
    private static final String METRICS = "--metrics-bind-address";

    /**
     * kube-proxy's older options. With a configuration file they have no effect, like all options that its fields
     * decide.
     */
    static final Set<String> OLDER = Set.of("--healthz-port", "--metrics-port");

    private static final int HEALTHZ_PORT = 10256;
    private static final int METRICS_PORT = 10249;

    @Option(
            names = HEALTHZ,
            paramLabel = "IP:PORT",
            defaultValue = "0.0.0.0:10256",
            description = "Address that serves /healthz and /livez; empty for none (default: ${DEFAULT-VALUE}).")
    private String healthz = "";

    @Option(
            names = METRICS,
            paramLabel = "IP:PORT",
            defaultValue = "127.0.0.1:10249",
            description = "Address that serves /metrics, /metrics/connections, /proxyMode and /configz; empty"
                    + " for none"
                    + " (default: ${DEFAULT-VALUE}).")
    private String metrics = "";

    @Option(names = "--healthz-port", paramLabel = "PORT", hidden = true)
    private @Nullable Integer healthzPort;

    @Option(names = "--metrics-port", paramLabel = "PORT", hidden = true)
    private @Nullable Integer metricsPort;

    @Option(
            names = "--bind-address-hard-fail",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "End if the health or the metrics address cannot be bound, instead of trying again.")
    private boolean hardFail;

    boolean hardFail() {
        return hardFail;
    }

    /** The addresses in force by their options, with port 0 for none. */
    Map<String, String> inForce() throws CommandException {
        return Map.of(HEALTHZ, text(healthz(), "0.0.0.0:0"), METRICS, text(metrics(), "127.0.0.1:0"));
    }

    private static String text(Optional<InetSocketAddress> address, String none) {
        return address.map(one -> IpAddress.of(one.getAddress()).withPort(one.getPort()))
                .orElse(none);
    }

    Optional<InetSocketAddress> healthz() throws CommandException {
        return address(HEALTHZ, healthz, healthzPort, HEALTHZ_PORT);
    }

    Optional<InetSocketAddress> metrics() throws CommandException {
        return address(METRICS, metrics, metricsPort, METRICS_PORT);
    }

    /** kube-proxy's older options replace the port, and switch the server off with 0. */
    private static Optional<InetSocketAddress> address(
            String option, String text, @Nullable Integer port, int defaultPort) throws CommandException {
        if (text.isEmpty() || (port != null && port == 0)) {
            return Optional.empty();
        }
        try {
            InetSocketAddress address = BindAddress.parse(text, defaultPort);
            return Optional.of(port == null ? address : new InetSocketAddress(address.getAddress(), port))
                    .filter(one -> one.getPort() != 0);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of(option + ": " + e.getMessage()));
        }
    }
}
