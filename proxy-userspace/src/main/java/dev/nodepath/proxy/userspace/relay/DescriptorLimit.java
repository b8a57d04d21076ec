package dev.nodepath.proxy.userspace.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number of descriptors for connections and flows. A connection takes two, a flow takes one. */
public final class DescriptorLimit {
    /** Descriptors that are reserved for listening sockets, pipes, rules, the API server, health, and the JVM. */
    public static final int RESERVE = 256;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT = Pattern.compile("^Max open files +(\\d{1,9}) ");

    private DescriptorLimit() {}

    /** The limit of this process without the reserve, or half of the limit if it is low. */
    public static int ofThisProcess() {
        try {
            return of(Files.readAllLines(LIMITS));
        } catch (IOException e) {
            // The kernel enforces its own limit in any case.
            return Integer.MAX_VALUE;
        }
    }

    /** The limit by the lines of {@code /proc/self/limits}. */
    public static int of(List<String> limits) {
        return limits.stream()
                .map(SOFT::matcher)
                .filter(Matcher::find)
                .mapToInt(soft -> Integer.parseInt(soft.group(1)))
                .map(soft -> Math.max(soft - RESERVE, soft / 2))
                .findFirst()
                .orElse(Integer.MAX_VALUE);
    }
}
