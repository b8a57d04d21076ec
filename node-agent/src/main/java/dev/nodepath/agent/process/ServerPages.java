package dev.nodepath.agent.process;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.metrics.HealthcheckMetrics;
import dev.nodepath.agent.options.OomScore;
import dev.nodepath.agent.options.UnusedOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The pages that all Kubernetes servers have on their metrics ports: {@code /flagz}, {@code /statusz},
 * {@code /metrics/slis}.
 */
public final class ServerPages {
    private static final String FOR_PEOPLE = "For people: the form of this page may change.\n\n";

    /** The format of {@code date} and of Go's {@code time.UnixDate}. */
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE MMM ppd HH:mm:ss 'UTC' uuuu", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Map<String, String> flags;
    private final InstantSource clock;
    private final Instant started;
    private final HealthcheckMetrics healthchecks = new HealthcheckMetrics();

    /**
     * Pages of a process that starts.
     *
     * @param flags values by name, without dashes
     */
    ServerPages(Map<String, String> flags, InstantSource clock) {
        this.flags = new TreeMap<>(flags);
        this.clock = clock;
        this.started = clock.instant();
    }

    /**
     * The pages of a command, with the values of its options in force, including those of a configuration file.
     * Options without a line in the help are listed if they are given.
     */
    public static ServerPages of(CommandSpec command) {
        Map<String, String> flags = new TreeMap<>();
        ParseResult parsed = command.commandLine().getParseResult();
        for (OptionSpec option : command.options()) {
            // Options without effect share one entry.
            boolean listed = !option.hidden() || (parsed.hasMatchedOption(option) && !UnusedOptions.has(option));
            if (listed && !option.usageHelp() && !option.versionHelp()) {
                flags.put(option.longestName().substring(2), text(option.getValue()));
            }
        }
        UnusedOptions.values(parsed).forEach((name, value) -> flags.put(name.replaceFirst("^-+", ""), value));
        return new ServerPages(flags, InstantSource.system());
    }

    /** Answers these paths, and leaves others to the next one. */
    public PathHandler before(PathHandler next) {
        return path -> switch (path) {
            case "/flagz" -> HttpResponse.text(200, flagz());
            case "/statusz" -> HttpResponse.text(200, statusz());
            case "/metrics/slis" -> healthchecks.page();
            case "/healthz" -> counted(next.handle(path));
            default -> next.handle(path);
        };
    }

    private HttpResponse counted(HttpResponse healthz) {
        healthchecks.answered(healthz.status());
        return healthz;
    }

    private String flagz() {
        StringBuilder page = new StringBuilder("\nnodepath flagz\n").append(FOR_PEOPLE);
        flags.forEach(
                (name, value) -> page.append(name).append('=').append(value).append('\n'));
        return page.toString();
    }

    private String statusz() {
        Duration up = Duration.between(started, clock.instant());
        return "\nnodepath statusz\n" + FOR_PEOPLE
                + "Started: " + DATE.format(started) + "\n"
                + String.format(
                        Locale.ROOT,
                        "Up: %d hr %02d min %02d sec%n",
                        up.toHours(),
                        up.toMinutesPart(),
                        up.toSecondsPart())
                + "Java version: " + Runtime.version() + "\n"
                + "Binary version: " + NodepathVersion.version() + "\n"
                + "OOM score adjustment: " + OomScore.current() + "\n"
                + "Paths: /configz /flagz /healthz /metrics /metrics/connections /metrics/slis /proxyMode /statusz\n";
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> items) {
            return String.join(",", items.stream().map(String::valueOf).toList());
        }
        return value == null ? "" : value.toString();
    }
}
