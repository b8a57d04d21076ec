package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code nodepath kubectl ...}: runs kubectl with the running cluster's kubeconfig. */
@Command(
        name = "kubectl",
        description = {
            "Runs kubectl on the running cluster.",
            "The arguments are kubectl's own; 'nodepath kubectl help' is its help. Any kubectl works too: export"
                    + " KUBECONFIG=... as 'nodepath up' prints it."
        },
        footer = {
            "nodepath kubectl get pods -o wide",
            "nodepath kubectl apply -f services.yaml",
            "nodepath kubectl exec web-1 -- curl -s client-1"
        },
        exitCodeList = {
            "0:kubectl's was 0.",
            "1:No cluster is running, kubectl is not on PATH, or kubectl's was 1.",
            "2:Wrong usage, or kubectl's was 2.",
            "3..255:kubectl's."
        },
        mixinStandardHelpOptions = true)
final class KubectlCommand implements Callable<Integer> {
    static final String NAME = "kubectl";

    @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "Given to kubectl as they are.")
    private List<String> arguments = List.of();

    @Mixin
    private final ClusterName name = new ClusterName();

    /**
     * Options are kubectl's, except help, version and cluster before its first argument: those are this command's.
     * {@code --} is kubectl's too: its exec asks for it. No argument has a NUL.
     */
    @Spec
    void configure(CommandSpec spec) {
        spec.parser()
                .unmatchedOptionsArePositionalParams(true)
                .stopAtPositional(true)
                .endOfOptionsDelimiter("\0");
    }

    @Override
    public Integer call() throws CommandException, IOException, InterruptedException {
        ClusterFiles files = ClusterFiles.of(name);
        files.requireRunning();
        if (!isOnPath(NAME)) {
            throw CommandException.failed("kubectl: not found on PATH (expected: Debian package kubernetes-client, or"
                    + " kubectl from kubernetes.io)");
        }
        return at(files, arguments).inheritIO().start().waitFor();
    }

    /** The process of kubectl with a cluster's kubeconfig. */
    static ProcessBuilder at(ClusterFiles files, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(NAME));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("KUBECONFIG", files.kubeconfig().toString());
        return builder;
    }

    static boolean isOnPath(String program) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }
}
