package dev.nodepath.agent.options;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/**
 * kube-proxy's options that have no meaning here. They are accepted, so that its manifests work. The help and the log
 * name them.
 */
@SuppressWarnings("unused") // Their values have no effect.
public final class UnusedOptions {
    private static final String HEADING = "Options of kube-proxy that are accepted and have no effect here:";

    /** They tune parts that differ here (client, logger, machine's names) or are missing (modes). */
    @Option(
            names = {
                "--boot-id-file",
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
                "--log-text-info-buffer-size",
                "--logging-format",
                "--machine-id-file",
                "--show-hidden-metrics-for-version",
                "--v",
                "-v",
                "--vmodule"
            },
            paramLabel = "VALUE",
            hidden = true)
    private List<String> values = new ArrayList<>();

    // A switch takes a value only behind '='. The next word is not its value. So it is with kube-proxy.

    @Option(names = "--ipvs-strict-arp", hidden = true)
    private boolean ipvsStrictArp;

    @Option(names = "--log-json-split-stream", hidden = true)
    private boolean logJsonSplitStream;

    @Option(names = "--log-text-split-stream", hidden = true)
    private boolean logTextSplitStream;

    @Option(names = "--profiling", hidden = true)
    private boolean profiling;

    /** The lines with which the help of a command that takes them ends; none for another. */
    public static List<String> described(CommandSpec command) {
        String names = String.join(", ", of(command.options().stream()).sorted().toList());
        return names.isEmpty() ? List.of() : List.of("", HEADING, names);
    }

    /** The given options, as spelt on the command line. */
    static List<String> given(ParseResult parsed) {
        return of(parsed.matchedOptions().stream())
                .filter(name -> parsed.originalArgs().stream()
                        .anyMatch(word -> word.equals(name) || word.startsWith(name + "=")))
                .distinct()
                .toList();
    }

    /** The given ones with their values; a switch without one is true. */
    public static Map<String, String> values(ParseResult parsed) {
        Map<String, String> values = new LinkedHashMap<>();
        List<String> words = parsed.originalArgs();
        for (String name : given(parsed)) {
            boolean isSwitch = parsed.matchedOption(name).arity().max() == 0;
            for (int i = 0; i < words.size(); i++) {
                if (words.get(i).startsWith(name + "=")) {
                    values.put(name, words.get(i).substring(name.length() + 1));
                } else if (words.get(i).equals(name)) {
                    values.put(name, isSwitch ? "true" : words.get(i + 1));
                }
            }
        }
        return values;
    }

    /** Whether an option is declared here. */
    public static boolean has(OptionSpec option) {
        return option.userObject() instanceof Field field && field.getDeclaringClass() == UnusedOptions.class;
    }

    /** The names of the options that are declared here. */
    private static Stream<String> of(Stream<OptionSpec> options) {
        return options.filter(UnusedOptions::has).flatMap(option -> Arrays.stream(option.names()));
    }
}
