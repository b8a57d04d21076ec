package dev.nodepath.agent.options;

import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** Which of this user's emulated clusters a command is for. */
public final class ClusterName {
    /** The option. */
    public static final String OPTION = "--name";
    /** The name without the option. */
    public static final String DEFAULT = "default";

    /** It is the name of a folder. */
    private static final Pattern FORM = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    @Option(
            names = OPTION,
            paramLabel = "NAME",
            defaultValue = DEFAULT,
            description = "Which of your clusters, if you run several (default: ${DEFAULT-VALUE}).")
    private String name = DEFAULT;

    /**
     * The name.
     *
     * @throws CommandException if it cannot be one
     */
    public String value() throws CommandException {
        if (!FORM.matcher(name).matches()) {
            throw CommandException.wrongUsage(
                    List.of(OPTION + ": \"" + name + "\" (expected: 1 to 63 of a-z, 0-9 and -)"));
        }
        return name;
    }
}
