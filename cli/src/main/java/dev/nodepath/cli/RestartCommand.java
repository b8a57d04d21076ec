package dev.nodepath.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.page.OrderSocket;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code nodepath restart}: {@code down}, and {@code up} with the same options. With names it restarts a pod, an agent
 * or a node alone.
 */
@Command(
        name = "restart",
        description = {
            "Ends the running cluster and starts it again, with the options and manifests of its 'up'.",
            "With KIND and NAME it does so with a pod, a node or a node's agent alone, and brings back one that was"
                    + " killed."
        },
        footer = {
            "nodepath restart",
            "nodepath restart pod web-1",
            "nodepath restart agent n1",
            "nodepath restart node n2"
        },
        mixinStandardHelpOptions = true)
final class RestartCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "KIND",
            description = "Part of the cluster: ${COMPLETION-CANDIDATES} (default: the whole cluster).")
    private @Nullable Kind kind;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description = "Name of a pod, NAMESPACE/POD, or of a node.")
    private @Nullable String part;

    @Mixin
    private final ClusterName name = new ClusterName();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** What can be restarted alone. */
    enum Kind {
        POD,
        AGENT,
        NODE;

        /** The value on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public Integer call() throws CommandException, IOException {
        if (kind != null && part == null) {
            throw CommandException.wrongUsage(
                    List.of("NAME: missing (expected: the name of the " + kind + " after " + kind + ")"));
        }
        ClusterFiles files = ClusterFiles.of(name);
        ClusterRecord record = files.requireRunning();
        return kind == null || part == null ? whole(files) : part(record, kind, part);
    }

    private int part(ClusterRecord record, Kind which, String named) throws CommandException, IOException {
        ObjectNode order = JsonNodeFactory.instance.objectNode().put(which.toString(), named);
        try {
            String done = OrderSocket.give(record.inside(Enclosure.RUN).resolve(OrderSocket.NAME), order);
            PrintWriter out = spec.commandLine().getOut();
            out.println(done);
            out.flush();
            return 0;
        } catch (RefusedException e) {
            throw CommandException.failed(String.valueOf(e.getMessage()));
        }
    }

    private int whole(ClusterFiles files) throws CommandException, IOException {
        String option = ClusterName.OPTION + "=" + files.name();
        List<String> up = new ArrayList<>(List.of("up", option));
        up.addAll(files.arguments());
        CommandLine nodepath = Nodepath.commandLine();
        nodepath.setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
        nodepath.execute("down", option);
        return nodepath.execute(up.toArray(String[]::new));
    }
}
