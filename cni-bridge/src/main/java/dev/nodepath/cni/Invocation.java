package dev.nodepath.cni;

import dev.nodepath.cni.ipam.LockTimeoutException;
import dev.nodepath.linux.LinuxNetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;

/**
 * One call of the protocol: environment and standard input in, {@link Outcome} out. Whatever goes wrong becomes an error
 * object; nothing is thrown. Source: CNI specification 1.1.0 section "Execution protocol", and upstream's plugin skeleton.
 */
public final class Invocation {
    /** The largest configuration that is read, in bytes; with earlier results in it they reach some tens of thousands. */
    static final int CONFIG_BYTES_MAX = 1 << 20;

    private static final String ABOUT = "nodepath-bridge: a CNI plugin that wires containers to a bridge\n"
            + "CNI protocol versions supported: " + String.join(", ", CniVersion.supported()) + "\n";

    private final BridgePlugin plugin;
    private final Path ownNamespace;
    private final Path dataDirDefault;

    /**
     * Calls of a plugin.
     *
     * @param ownNamespace the file of the namespace that the plugin works in, which no container may have
     * @param dataDirDefault where addresses are kept unless a configuration says otherwise
     */
    public Invocation(BridgePlugin plugin, Path ownNamespace, Path dataDirDefault) {
        this.plugin = plugin;
        this.ownNamespace = ownNamespace;
        this.dataDirDefault = dataDirDefault;
    }

    /** Does what the environment asks for. VERSION does not read the input. */
    public Outcome run(Map<String, String> variables, InputStream stdin) {
        if (variables.getOrDefault(CniVariable.CNI_COMMAND.name(), "").isEmpty()) {
            return new Outcome(0, "", ABOUT);
        }
        CniVersion version = CniVersion.latest();
        try {
            Environment environment = Environment.of(variables);
            if (environment.command() == CniCommand.VERSION) {
                return Outcome.succeeded(versions());
            }
            JsonObject json = JsonParsing.object(readConfig(stdin));
            version = NetworkConfigParser.version(json);
            return Outcome.succeeded(perform(environment, json, version));
        } catch (CniException e) {
            return Outcome.failed(e, version);
        } catch (IOException | RuntimeException e) {
            return Outcome.failed(explain(e), version);
        }
    }

    /** What the runtime is told of an error that does not know the protocol. */
    static CniException explain(Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        if (problem instanceof LockTimeoutException) {
            return new CniException(ErrorCode.TRY_AGAIN_LATER, message, problem);
        }
        if (problem instanceof LinuxNetException) {
            return new CniException(ErrorCode.INTERNAL, message, problem);
        }
        if (problem instanceof FileSystemException file) {
            String reason = file.getReason() == null ? file.getClass().getSimpleName() : file.getReason();
            return new CniException(ErrorCode.IO_FAILURE, file.getFile() + ": " + reason, problem);
        }
        if (problem instanceof IOException) {
            return new CniException(ErrorCode.IO_FAILURE, message, problem);
        }
        return new CniException(ErrorCode.INTERNAL, "unexpected " + problem, problem);
    }

    private String perform(Environment environment, JsonObject json, CniVersion version)
            throws CniException, IOException {
        CniCommand command = environment.command();
        if (!version.isAtLeast(command.since())) {
            throw new CniException(
                    ErrorCode.INCOMPATIBLE_VERSION,
                    "config version does not allow " + command,
                    "cniVersion: \"" + version + "\" (expected: >= " + command.since() + ")");
        }
        NetworkConfig config = NetworkConfigParser.parse(json, dataDirDefault);
        return switch (command) {
            case ADD -> add(environment, json, config);
            case DEL -> del(environment, config);
            default ->
                throw new CniException(
                        ErrorCode.INVALID_ENVIRONMENT, "CNI_COMMAND: " + command + " (expected: ADD, DEL or VERSION)");
        };
    }

    private String del(Environment environment, NetworkConfig config) throws CniException, IOException {
        refuseOwnNamespace(environment);
        plugin.del(config, environment.attachment(), environment.netns());
        return "";
    }

    private String add(Environment environment, JsonObject json, NetworkConfig config)
            throws CniException, IOException {
        UnsupportedOptions.refuse(json, environment.args());
        ResultEncoder.checkFits(config.ipam().isPresent() ? 1 : 0, config.version());
        refuseOwnNamespace(environment);
        CniResult result = plugin.add(config, environment.attachment(), environment.netns());
        return ResultEncoder.encode(result, config.version());
    }

    private static byte[] readConfig(InputStream stdin) throws CniException, IOException {
        byte[] bytes = stdin.readNBytes(CONFIG_BYTES_MAX + 1);
        if (bytes.length > CONFIG_BYTES_MAX) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "network configuration: longer than " + CONFIG_BYTES_MAX + " bytes (expected: at most that)");
        }
        return bytes;
    }

    private void refuseOwnNamespace(Environment environment) throws CniException {
        if (!environment.netnsOverride() && isOwnNamespace(environment.netns())) {
            throw new CniException(
                    ErrorCode.INVALID_NAMESPACE,
                    "plugin's netns and netns from CNI_NETNS should not be the same",
                    "CNI_NETNS: \"" + environment.netns()
                            + "\" (expected: a container's namespace, or CNI_NETNS_OVERRIDE=1)");
        }
    }

    private boolean isOwnNamespace(String netns) {
        try {
            return !netns.isEmpty() && Files.isSameFile(Path.of(netns), ownNamespace);
        } catch (IOException | InvalidPathException e) {
            return false; // opening it will say what is wrong
        }
    }

    private static String versions() {
        return JsonText.object(json -> {
            json.writeStringField("cniVersion", CniVersion.latest().toString());
            json.writeArrayFieldStart("supportedVersions");
            for (String version : CniVersion.supported()) {
                json.writeString(version);
            }
            json.writeEndArray();
        });
    }
}
