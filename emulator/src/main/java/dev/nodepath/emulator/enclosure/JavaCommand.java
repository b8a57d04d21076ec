package dev.nodepath.emulator.enclosure;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.process.ProgramName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How to start a further {@code nodepath} process: the same runtime and class path as this one.
 *
 * @param java the launcher
 * @param classPath as {@code java -cp} takes it
 * @param scripts the folder of the scripts
 */
public record JavaCommand(Path java, String classPath, Path scripts) {
    /** In a module above this one. */
    private static final String MAIN = "dev.nodepath.cli.Nodepath";

    /**
     * No performance data file: a killed process would leave it in {@code /tmp}. Temporary files are inside the
     * enclosure for the same reason. Netty prepares no events for a flight recorder.
     */
    private static final List<String> COMMON = List.of(
            "-XX:-UsePerfData",
            "-Xlog:cds*=off",
            "-Dio.netty.jfr.enabled=false",
            "-Djava.io.tmpdir=" + Enclosure.RUN.resolve("tmp"));

    /**
     * Without it, Javas after 17 warn of native calls. Java 17 gives no warning, and would make its graph of modules
     * anew for the option.
     */
    private static final List<String> NATIVE_CALLS =
            Runtime.version().feature() == 17 ? List.of() : List.of("--enable-native-access=ALL-UNNAMED");

    /**
     * An enclosure has no hardware address for Netty's machine id, and needs none. The process ends when memory runs
     * out: a cluster without one of its threads would only look healthy. It writes so below the folder that {@code
     * scripts/enclose} has opened, as no path leads there from the enclosure.
     */
    private static final List<String> CLUSTER = List.of(
            "-XX:+UseParallelGC",
            "-Xms256m",
            "-Xmx1g",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:OnOutOfMemoryError=echo out of memory 2>/dev/null >\"/proc/self/fd/7/$NODEPATH_LAST_WORD\"",
            "-Dio.netty.machineId=02:00:00:00:00:01");

    /** The heap options are those of an agent in scripts/nodepath, except the limit. */
    private static final List<String> AGENT = List.of(
            "-XX:+UseSerialGC",
            "-Xms16m",
            "-Xmx256m",
            "-XX:MaxNewSize=24m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20");

    /**
     * Only processes that forward bytes or measure use the optimizing compiler. Elsewhere it would double the time of a
     * start, as agents start at the same time.
     */
    private static final List<String> QUICKLY = List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=3");

    /** Set by scripts/nodepath where a command has large pages. A cluster has them too, an agent has not. */
    private static final String LARGE_PAGES = "nodepath.large-pages";

    /** The JVM flag by which this process was started with an archive of classes. */
    private static final String SHARING = "nodepath.sharing";

    /** The command of this process. */
    public static JavaCommand ofThisProcess() throws CommandException {
        return new JavaCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Installation.scripts());
    }

    /** The command line of the process that holds a whole cluster. */
    public List<String> forCluster(List<String> arguments) {
        List<String> flags = joined(CLUSTER, QUICKLY);
        return command(
                sharing(),
                Boolean.getBoolean(LARGE_PAGES) ? joined(flags, List.of("-XX:+UseTransparentHugePages")) : flags,
                arguments);
    }

    /** The command line of the process that holds and measures one cluster or several. */
    public List<String> forMeasurement(List<String> arguments) {
        return command(sharing(), CLUSTER, arguments);
    }

    /** The command line of an agent on a node. */
    public List<String> forAgent(List<String> arguments) {
        return command(
                sharing().map(JavaCommand::ofAgents),
                arguments.contains("--mode=" + ProxyMode.USERSPACE) ? AGENT : joined(AGENT, QUICKLY),
                arguments);
    }

    /** The plugin's executable: its client, or its launcher where no client was compiled. */
    public Path plugin() {
        Path client = scripts.resolveSibling("target").resolve("bin").resolve("nodepath-bridge");
        return Files.isExecutable(client) ? client : scripts.resolve("nodepath-bridge");
    }

    /** Settings that this process passes on: the folder of unpacked native libraries, and the program's name. */
    private static List<String> properties() {
        List<String> flags = new ArrayList<>();
        for (String property : List.of("jffi.boot.library.path", "java.library.path", ProgramName.PROPERTY)) {
            String value = System.getProperty(property);
            if (value != null) {
                flags.add("-D" + property + "=" + value);
            }
        }
        return flags;
    }

    /** The JVM flag of the archive of classes; empty if there is none. */
    private static Optional<String> sharing() {
        return Optional.ofNullable(System.getProperty(SHARING));
    }

    /** The agents' archive, or list of classes, is beside that of other processes. */
    private static String ofAgents(String sharing) {
        return sharing.replaceFirst("nodepath(\\.[^/]*)$", "nodepath-agent$1");
    }

    private static List<String> joined(List<String> flags, List<String> more) {
        return Stream.concat(flags.stream(), more.stream()).toList();
    }

    private List<String> command(Optional<String> sharing, List<String> flags, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(COMMON);
        command.addAll(NATIVE_CALLS);
        sharing.ifPresent(flag -> command.addAll(List.of(flag, "-D" + SHARING + "=" + flag)));
        command.addAll(properties());
        command.addAll(flags);
        command.addAll(List.of("-Dnodepath.scripts=" + scripts, "-cp", classPath, MAIN));
        command.addAll(arguments);
        return command;
    }
}
