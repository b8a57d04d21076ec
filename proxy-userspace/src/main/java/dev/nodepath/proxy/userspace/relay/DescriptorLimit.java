package dev.nodepath.proxy.userspace.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many descriptors of this process connections and flows may take: two and one each. */
public final class DescriptorLimit {
    /** For everything else: listening sockets, rules, the API server, health, whatever the JVM opens. */
    public static final int RESERVE = 256;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT = Pattern.compile("^Max open files +(\\d{1,9}) ");

    private DescriptorLimit() {}

    /** As many as the process may have but for a reserve, or half of them if they are few. */
    public static int ofThisProcess() {
        try {
            return of(Files.readAllLines(LIMITS));
        } catch (IOException e) {
            // The kernel's own word, when there are no more, is still there.
            return Integer.MAX_VALUE;
        }
    }

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
