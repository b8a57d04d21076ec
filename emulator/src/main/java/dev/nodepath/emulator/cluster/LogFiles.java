package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The logs of a cluster.
 *
 * <pre>
 * log/agent-n1-iptables.log               a node's agent, one file for each mode
 * log/pods/default_web-1_UID/server.log   a container
 * </pre>
 */
public final class LogFiles {
    private static final Pattern TIME = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z ");
    private static final String AGENT = "agent-";
    private static final String SUFFIX = ".log";

    private final Path folder;

    /** The logs below a cluster's folder. */
    public LogFiles(Path clusterFolder) {
        this.folder = clusterFolder.resolve("log");
    }

    /**
     * The log of a Pod or a node.
     *
     * @param name of a Pod in {@code default}, {@code NAMESPACE/POD}, or of a node
     * @param container empty for the container that started first
     * @param previous whether the run before the last restart is wanted
     */
    public Optional<Path> find(String name, Optional<String> container, boolean previous) throws IOException {
        Optional<Path> pod = pod(name);
        String suffix = previous ? SUFFIX + ".previous" : SUFFIX;
        if (pod.isPresent()) {
            return newest(
                            pod.get(),
                            file -> file.endsWith(suffix)
                                    && container
                                            .map(each -> file.equals(each + suffix))
                                            .orElse(true))
                    .findFirst();
        }
        return previous || name.contains("/")
                ? Optional.empty()
                : last(folder, file -> file.startsWith(AGENT + name + "-"));
    }

    /** The newest folder of a Pod of this name. */
    private Optional<Path> pod(String name) throws IOException {
        String prefix = (name.contains("/") ? name : "default/" + name).replace('/', '_') + "_";
        return last(pods(), file -> file.startsWith(prefix));
    }

    /** The containers of a Pod that have a log; none if there is no such Pod. */
    public List<String> containers(String name) throws IOException {
        Optional<Path> pod = pod(name);
        return pod.isEmpty()
                ? List.of()
                : newest(pod.get(), file -> file.endsWith(SUFFIX))
                        .map(file -> file.getFileName().toString())
                        .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                        .sorted()
                        .toList();
    }

    /** The names of nodes and Pods with a log. */
    public List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        newest(folder, file -> file.startsWith(AGENT))
                .map(file -> file.getFileName().toString())
                .map(file -> file.substring(AGENT.length(), file.lastIndexOf('-')))
                .distinct()
                .sorted(NaturalOrder.NAMES)
                .forEach(names::add);
        newest(pods(), file -> true)
                .map(file -> file.getFileName().toString().split("_", -1))
                .map(parts -> parts[0].equals("default") ? parts[1] : parts[0] + "/" + parts[1])
                .distinct()
                .sorted(NaturalOrder.NAMES)
                .forEach(names::add);
        return names;
    }

    /** A line of a container without the time before it. */
    public static String withoutTime(String line) {
        return TIME.matcher(line).replaceFirst("");
    }

    private Path pods() {
        return folder.resolve("pods");
    }

    private interface Filter {
        boolean takes(String file);
    }

    private static Optional<Path> last(Path folder, Filter filter) throws IOException {
        return newest(folder, filter).reduce((first, last) -> last);
    }

    /** The matching files of a folder, the oldest first. */
    private static Stream<Path> newest(Path folder, Filter filter) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> filter.takes(file.getFileName().toString())).forEach(found::add);
        }
        found.sort(Comparator.comparing((Path file) -> file.toFile().lastModified())
                .thenComparing(Path::getFileName));
        return found.stream();
    }
}
