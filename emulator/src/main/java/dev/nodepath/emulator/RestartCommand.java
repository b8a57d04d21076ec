package dev.nodepath.emulator;

import dev.nodepath.agent.Nodepath;
import dev.nodepath.agent.options.ClusterName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath restart}: {@code down}, and {@code up} with the same options. */
@Command(
        name = "restart",
        description = "Ends the running cluster and starts it again, with the options and manifests of its 'up'.",
        footer = "nodepath restart",
        mixinStandardHelpOptions = true)
final class RestartCommand implements Callable<Integer> {
    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
        ClusterFiles files = ClusterFiles.of(name);
        var unused = files.requireRunning();
        String option = ClusterName.OPTION + "=" + files.name();
        List<String> up = new ArrayList<>(List.of("up", option));
        up.addAll(files.arguments());
        CommandLine nodepath = Nodepath.commandLine();
        nodepath.setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
        nodepath.execute("down", option);
        return nodepath.execute(up.toArray(String[]::new));
    }
}
