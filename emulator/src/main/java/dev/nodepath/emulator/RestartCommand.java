package dev.nodepath.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath restart}: {@code down}, and {@code up} with the same options. */
@Command(
        name = "restart",
        description = "Ends the running cluster and starts it again, with the options and manifests of its 'up'.",
        mixinStandardHelpOptions = true)
final class RestartCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
        ClusterRecord.requireRunning();
        List<String> up = new ArrayList<>(List.of("up"));
        up.addAll(ClusterRecord.arguments());
        spec.root().commandLine().execute("down");
        return spec.root().commandLine().execute(up.toArray(String[]::new));
    }
}
