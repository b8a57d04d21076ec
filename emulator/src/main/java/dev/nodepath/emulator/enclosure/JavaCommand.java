package dev.nodepath.emulator.enclosure;

import dev.nodepath.agent.Nodepath;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How to start a further {@code nodepath} process: the same runtime and class path as this one.
 *
 * @param java the launcher
 * @param classPath as {@code java -cp} takes it
 * @param scripts the folder of the scripts
 */
public record JavaCommand(Path java, String classPath, Path scripts) {
    /**
     * No performance data file in {@code /tmp}, which a killed process would leave; temporary files are inside the enclosure
     * for the same reason.
     */
    private static final List<String> COMMON = List.of(
            "-XX:-UsePerfData",
            "-Xlog:cds*=off",
            "-Djava.io.tmpdir=" + Enclosure.RUN.resolve("tmp"),
            "--enable-native-access=ALL-UNNAMED");

    /** There is no hardware address in an enclosure that Netty could tell machines apart by, and nobody to tell apart. */
    private static final List<String> CLUSTER =
            List.of("-XX:+UseParallelGC", "-Xms256m", "-Xmx1g", "-Dio.netty.machineId=02:00:00:00:00:01");

    private static final List<String> AGENT = List.of("-XX:+UseSerialGC", "-Xmx256m");

    /**
     * Code is compiled with all effort only where bytes pass through it; elsewhere that would double the time of a start. Then the
     * compiler takes a quarter of what is left, most of it for what is not called often enough to pay: agents start side by side.
     */
    private static final List<String> QUICKLY = List.of("-XX:TieredStopAtLevel=1", "-XX:CompileThresholdScaling=3");

    /** The property that tells how this process was started with an archive of classes: by this flag of the JVM. */
    private static final String SHARING = "nodepath.sharing";

    /** As this process was started. */
    public static JavaCommand ofThisProcess() throws CommandException {
        return new JavaCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                Installation.scripts());
    }

    /** The command line of the process that holds a whole cluster. */
    public List<String> forCluster(List<String> arguments) {
        return command(CLUSTER, arguments);
    }

    /** The command line of an agent on a node. */
    public List<String> forAgent(List<String> arguments) {
        List<String> flags = new ArrayList<>(AGENT);
        if (!arguments.contains("--mode=" + ProxyMode.USERSPACE)) {
            flags.addAll(QUICKLY);
        }
        return command(flags, arguments);
    }

    /** What a container runtime execs: the plugin's client where there is one, else its launcher. */
    public Path plugin() {
        Path client = scripts.resolveSibling("target").resolve("bin").resolve("nodepath-bridge");
        return Files.isExecutable(client) ? client : scripts.resolve("nodepath-bridge");
    }

    /** Where native libraries stand unpacked: as this process was told. */
    private static List<String> nativeLibraries() {
        List<String> flags = new ArrayList<>();
        for (String property : List.of("jffi.boot.library.path", "java.library.path")) {
            String path = System.getProperty(property);
            if (path != null) {
                flags.add("-D" + property + "=" + path);
            }
        }
        return flags;
    }

    /** The archive of classes to start with, if there is one. */
    private static List<String> classDataSharing() {
        String flag = System.getProperty(SHARING);
        return flag == null ? List.of() : List.of(flag, "-D" + SHARING + "=" + flag);
    }

    private List<String> command(List<String> flags, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(COMMON);
        command.addAll(classDataSharing());
        command.addAll(nativeLibraries());
        command.addAll(flags);
        command.addAll(List.of("-Dnodepath.scripts=" + scripts, "-cp", classPath, Nodepath.class.getName()));
        command.addAll(arguments);
        return command;
    }
}
