package dev.nodepath.agent;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** kube-proxy's options that have no meaning here: accepted, so that its manifests work, and named in the log. */
final class UnusedOptions {
    /** Tuning of a client and a logger that are others here, and of modes that are not here. */
    @Option(
            names = {
                "--bind-address",
                "--config-sync-period",
                "--feature-gates",
                "--ipvs-exclude-cidrs",
                "--ipvs-min-sync-period",
                "--ipvs-scheduler",
                "--ipvs-sync-period",
                "--ipvs-tcp-timeout",
                "--ipvs-tcpfin-timeout",
                "--ipvs-udp-timeout",
                "--kube-api-burst",
                "--kube-api-content-type",
                "--kube-api-qps",
                "--log-flush-frequency",
                "--log-json-info-buffer-size",
                "--log-json-split-stream",
                "--log-text-info-buffer-size",
                "--log-text-split-stream",
                "--logging-format",
                "--show-hidden-metrics-for-version",
                "--v",
                "-v",
                "--vmodule"
            },
            paramLabel = "VALUE",
            hidden = true)
    private List<String> values = new ArrayList<>();

    @Option(
            names = {"--ipvs-strict-arp", "--profiling"},
            arity = "0..1",
            fallbackValue = "true",
            hidden = true)
    private List<String> switches = new ArrayList<>();

    boolean isAny() {
        return !values.isEmpty() || !switches.isEmpty();
    }
}
