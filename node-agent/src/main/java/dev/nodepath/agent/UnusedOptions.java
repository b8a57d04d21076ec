package dev.nodepath.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** kube-proxy's options that have no meaning here: accepted, so that its manifests work, and named in the log. */
final class UnusedOptions {
    /** Tuning of a client and a logger that are others here, and of modes that are not here. */
    @Option(
            names = {
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

    /** Those that were given, as they were spelt. */
    List<String> given(ParseResult parsed) {
        if (values.isEmpty() && switches.isEmpty()) {
            return List.of();
        }
        return parsed.matchedOptions().stream()
                .map(option -> Arrays.asList(option.names()))
                .filter(names -> names.contains("--v") || names.contains("--profiling"))
                .flatMap(List::stream)
                .filter(name -> parsed.originalArgs().stream()
                        .anyMatch(word -> word.equals(name) || word.startsWith(name + "=")))
                .distinct()
                .toList();
    }
}
