package dev.nodepath.cni.protocol;

import static dev.nodepath.cni.protocol.CniVariable.CNI_ARGS;
import static dev.nodepath.cni.protocol.CniVariable.CNI_COMMAND;
import static dev.nodepath.cni.protocol.CniVariable.CNI_CONTAINERID;
import static dev.nodepath.cni.protocol.CniVariable.CNI_IFNAME;
import static dev.nodepath.cni.protocol.CniVariable.CNI_NETNS;

import dev.nodepath.cni.ipam.Attachment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The checked environment of one call. Variables that the command does not require may be empty.
 *
 * @param command the command
 * @param attachment the container's interface
 * @param netns path of the container's network namespace; empty if the runtime gave none
 * @param args the {@code CNI_ARGS}, which DEL does not read
 * @param netnsOverride whether the container's namespace may be the plugin's own ({@code CNI_NETNS_OVERRIDE})
 */
public record CniEnvironment(
        CniCommand command, Attachment attachment, String netns, Map<String, String> args, boolean netnsOverride) {

    /** The longest interface name, in characters: {@code IFNAMSIZ} less its end mark. */
    private static final int INTERFACE_NAME_LENGTH_MAX = 15;

    /**
     * Reads and checks the variables as upstream's plugin skeleton does.
     *
     * @throws CniException code 4, with the variable, its value and the expected one. Missing variables are reported
     *     together.
     */
    public static CniEnvironment of(Map<String, String> variables) throws CniException {
        String name = variables.getOrDefault(CNI_COMMAND.name(), "");
        CniCommand command =
                CniCommand.of(name).orElseThrow(() -> invalid("unknown CNI_COMMAND: " + name, knownCommands()));
        checkMissing(command, variables);
        String containerId = variables.getOrDefault(CNI_CONTAINERID.name(), "");
        if (command.requires(CNI_CONTAINERID) && !Names.isIdentifier(containerId)) {
            throw invalid(
                    "invalid characters in containerID",
                    "CNI_CONTAINERID: \"" + containerId + "\" (expected: " + Names.IDENTIFIER + ")");
        }
        String ifname = variables.getOrDefault(CNI_IFNAME.name(), "");
        if (command.requires(CNI_IFNAME) && !isInterfaceName(ifname)) {
            throw invalid(
                    "invalid interface name", "CNI_IFNAME: \"" + ifname + "\" (expected: " + interfaceNameRule() + ")");
        }
        String override = variables.getOrDefault("CNI_NETNS_OVERRIDE", "");
        return new CniEnvironment(
                command,
                new Attachment(containerId, ifname),
                variables.getOrDefault(CNI_NETNS.name(), ""),
                command.requires(CNI_CONTAINERID) && !command.removes()
                        ? CniArgs.parse(variables.getOrDefault(CNI_ARGS.name(), ""))
                        : Map.of(),
                override.equals("1") || override.equalsIgnoreCase("true"));
    }

    /** Whether it is a valid link name for the kernel and the specification. */
    public static boolean isInterfaceName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '/' || c == ':') {
                return false;
            }
        }
        return !name.isEmpty() && name.length() <= INTERFACE_NAME_LENGTH_MAX && !name.equals(".") && !name.equals("..");
    }

    /** Describes the names that {@link #isInterfaceName} accepts. */
    public static String interfaceNameRule() {
        return "1 to " + INTERFACE_NAME_LENGTH_MAX + " visible ASCII characters, without / and :, not . or ..";
    }

    private static void checkMissing(CniCommand command, Map<String, String> variables) throws CniException {
        List<String> missing = new ArrayList<>();
        for (CniVariable variable : CniVariable.values()) {
            if (command.requires(variable)
                    && variables.getOrDefault(variable.name(), "").isEmpty()) {
                missing.add(variable.name());
            }
        }
        if (!missing.isEmpty()) {
            throw invalid("required env variables [" + String.join(",", missing) + "] missing", "");
        }
    }

    private static String knownCommands() {
        return "expected: one of " + Arrays.toString(CniCommand.values());
    }

    private static CniException invalid(String message, String details) {
        return new CniException(ErrorCode.INVALID_ENVIRONMENT, message, details);
    }
}
