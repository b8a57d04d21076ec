package dev.nodepath.emulator.enclosure;

import dev.nodepath.agent.options.CommandException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Checks the machine's requirements before anything is created. Each missing one gives a line that says what to do. */
public final class Preflight {
    /** Command to the Debian package that has it. */
    private static final Map<String, String> TOOLS = new TreeMap<>(Map.ofEntries(
            Map.entry("ip", "iproute2"),
            Map.entry("mount", "mount"),
            Map.entry("iptables", "iptables"),
            Map.entry("unshare", "util-linux"),
            Map.entry("nsenter", "util-linux"),
            Map.entry("setsid", "util-linux"),
            Map.entry("setpriv", "util-linux"),
            Map.entry("pivot_root", "util-linux"),
            Map.entry("iptables-restore", "iptables"),
            Map.entry("iptables-save", "iptables"),
            Map.entry("ip6tables-restore", "iptables"),
            Map.entry("ip6tables-save", "iptables")));

    private static final String NOT_PERMITTED =
            "namespaces: not permitted (expected: root with CAP_SYS_ADMIN, or unprivileged user namespaces:"
                    + " sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0)";

    /** A kernel that removes hundreds of namespaces makes a new one wait for more than ten seconds. */
    private static final Duration UNSHARE_MAX = Duration.ofSeconds(60);

    private final String searchPath;
    private final List<String> unshare;
    private final Duration unshareMax;

    /**
     * A check.
     *
     * @param searchPath the value of PATH
     * @param unshare the command that makes namespaces, with the options of this user
     * @param unshareMax how long that may take
     */
    Preflight(String searchPath, List<String> unshare, Duration unshareMax) {
        this.searchPath = searchPath;
        this.unshare = List.copyOf(unshare);
        this.unshareMax = unshareMax;
    }

    /** Checks with the PATH and the user of this process. */
    public static Preflight ofThisProcess() {
        List<String> unshare = isRoot() ? List.of("unshare") : List.of("unshare", "--user", "--map-root-user");
        return new Preflight(System.getenv().getOrDefault("PATH", ""), unshare, UNSHARE_MAX);
    }

    /** Whether the user of this process is root. */
    public static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Succeeds, or reports everything that is missing. */
    public void check() throws CommandException {
        List<String> problems = new ArrayList<>();
        TOOLS.forEach((tool, debianPackage) -> {
            if (!isOnPath(tool)) {
                problems.add(tool + ": not found on PATH (expected: Debian package " + debianPackage + ")");
            }
        });
        if (isOnPath("unshare")) {
            tryToUnshare().ifPresent(problems::add);
        }
        if (!problems.isEmpty()) {
            throw CommandException.failed(problems.toArray(String[]::new));
        }
    }

    private boolean isOnPath(String tool) {
        for (String folder : searchPath.split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(folder, tool))) {
                return true;
            }
        }
        return false;
    }

    /** Makes namespaces that end at once. Returns what is wrong with them. */
    private Optional<String> tryToUnshare() {
        List<String> command = new ArrayList<>(unshare);
        command.addAll(List.of("--mount", "--net", "--pid", "--fork", "--mount-proc", "true"));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(unshareMax.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                return Optional.of("namespaces: the kernel has made none within " + unshareMax.toSeconds()
                        + " s (expected: at once; is the machine overloaded?)");
            }
            return process.exitValue() == 0 ? Optional.empty() : Optional.of(NOT_PERMITTED);
        } catch (IOException e) {
            return Optional.of("unshare: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("unshare: interrupted");
        }
    }
}
