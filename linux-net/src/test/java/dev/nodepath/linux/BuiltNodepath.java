package dev.nodepath.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code nodepath} as {@code scripts/nodepath} starts it: the jars of the build with the agents' archive of classes. A
 * start from the folders of classes takes three times the processor time.
 */
public final class BuiltNodepath {
    private static final Path LIB = Path.of(System.getProperty("nodepath.home", "."), "target", "lib");
    private static final String MAIN = "dev.nodepath.cli.Nodepath";

    private BuiltNodepath() {}

    /**
     * The beginning of a command line; the command's name and arguments follow.
     *
     * @param options further ones of the JVM
     */
    public static List<String> command(List<String> options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:cds*=off",
                "-XX:SharedArchiveFile=" + LIB.resolve("nodepath-agent.jsa"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileThresholdScaling=3",
                "-XX:-UsePerfData",
                "-Dio.netty.jfr.enabled=false"));
        if (Runtime.version().feature() > 17) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), MAIN));
        return command;
    }

    /** The jars, in the only order that fits the archive. */
    public static String classPath() throws IOException {
        try (Stream<Path> files = Files.list(LIB)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(":"));
        }
    }
}
