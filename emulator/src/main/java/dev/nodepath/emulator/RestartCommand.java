package dev.nodepath.emulator;

import dev.nodepath.agent.Nodepath;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath restart}: {@code down}, and {@code up} with the same options. */
@Command(
        name = "restart",
        description = "Ends the running cluster and starts it again, with the options and manifests of its 'up'.",
        footer = "nodepath restart",
        mixinStandardHelpOptions = true)
final class RestartCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
        ClusterRecord.requireRunning();
        List<String> up = new ArrayList<>(List.of("up"));
        up.addAll(ClusterRecord.arguments());
        CommandLine nodepath = Nodepath.commandLine();
        nodepath.setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
        nodepath.execute("down");
        return nodepath.execute(up.toArray(String[]::new));
    }
}
