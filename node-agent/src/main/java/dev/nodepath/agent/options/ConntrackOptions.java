package dev.nodepath.agent.options;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Settings of the kernel's connection tracking, with kube-proxy's names, meanings and defaults. */
public final class ConntrackOptions {
    private static final String ROOT = "net/netfilter/nf_conntrack_";

    @Option(
            names = "--conntrack-max-per-core",
            paramLabel = "N",
            defaultValue = "32768",
            description = "Tracked flows for each processor, as the kernel's limit; 0 keeps the kernel's value"
                    + " (default: ${DEFAULT-VALUE}).")
    private int maxPerCore;

    @Option(
            names = "--conntrack-min",
            paramLabel = "N",
            defaultValue = "131072",
            description =
                    "Least limit of tracked flows that --conntrack-max-per-core sets (default: ${DEFAULT-VALUE}).")
    private int min;

    @Option(
            names = "--conntrack-tcp-timeout-established",
            paramLabel = "DURATION",
            defaultValue = "24h",
            description =
                    "How long an idle TCP connection is tracked; 0 keeps the kernel's value (default: ${DEFAULT-VALUE}).")
    private String tcpEstablished = "";

    @Option(
            names = "--conntrack-tcp-timeout-close-wait",
            paramLabel = "DURATION",
            defaultValue = "1h",
            description = "How long a TCP connection in CLOSE_WAIT is tracked; 0 keeps the kernel's value"
                    + " (default: ${DEFAULT-VALUE}).")
    private String tcpCloseWait = "";

    @Option(
            names = "--conntrack-tcp-be-liberal",
            paramLabel = "BOOL",
            arity = "0..1",
            fallbackValue = "true",
            description = "Track TCP packets outside the window as valid, so that rules do not drop them.")
    private boolean tcpBeLiberal;

    @Option(
            names = "--conntrack-udp-timeout",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "How long a UDP flow without an answer is tracked; 0 keeps the kernel's value"
                    + " (default: ${DEFAULT-VALUE}).")
    private String udp = "";

    @Option(
            names = "--conntrack-udp-timeout-stream",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description =
                    "How long a UDP flow with answers is tracked; 0 keeps the kernel's value (default: ${DEFAULT-VALUE}).")
    private String udpStream = "";

    private static void checkNotNegative(String option, int number) throws CommandException {
        if (number < 0) {
            throw CommandException.wrongUsage(List.of(option + ": " + number + " (expected: 0 or more)"));
        }
    }

    /** The settings by their path below {@code /proc/sys}. */
    public Map<String, String> settings(int processors) throws CommandException {
        checkNotNegative("--conntrack-max-per-core", maxPerCore);
        checkNotNegative("--conntrack-min", min);
        Map<String, String> settings = new LinkedHashMap<>();
        if (maxPerCore > 0) {
            settings.put(ROOT + "max", Long.toString(Math.max(min, (long) maxPerCore * processors)));
        }
        put(settings, "tcp_timeout_established", "--conntrack-tcp-timeout-established", tcpEstablished);
        put(settings, "tcp_timeout_close_wait", "--conntrack-tcp-timeout-close-wait", tcpCloseWait);
        put(settings, "udp_timeout", "--conntrack-udp-timeout", udp);
        put(settings, "udp_timeout_stream", "--conntrack-udp-timeout-stream", udpStream);
        if (tcpBeLiberal) {
            settings.put(ROOT + "tcp_be_liberal", "1");
        }
        return settings;
    }

    private static void put(Map<String, String> settings, String name, String option, String text)
            throws CommandException {
        try {
            Duration timeout = GoDuration.parse(text);
            if (timeout.toSeconds() > 0) {
                settings.put(ROOT + name, Long.toString(timeout.toSeconds()));
            }
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of(option + ": " + e.getMessage()));
        }
    }
}
