package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.NetworkConfig;
import dev.nodepath.cni.config.NetworkConfigParser;
import dev.nodepath.cni.config.RemovalConfigParser;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.LockFile;
import dev.nodepath.cni.ipam.LockTimeoutException;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.protocol.CniCommand;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.FileFailure;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.JsonText;
import dev.nodepath.cni.protocol.ResultEncoder;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.cni.protocol.Sandbox;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * One call of the protocol: environment and standard input in, {@link CallOutcome} out. Every failure becomes an error
 * object. Nothing is thrown. Source: CNI specification 1.1.0 section "Execution protocol", and upstream's plugin
 * skeleton.
 */
public final class Invocation {
    /** The limit of a configuration, in bytes. With earlier results it has some tens of thousands. */
    static final int CONFIG_BYTES_MAX = 1 << 20;

    private static final String ABOUT = "nodepath-bridge: a CNI plugin that wires containers to a bridge\n"
            + "CNI protocol versions supported: " + String.join(", ", CniVersion.supported()) + "\n";

    private static final Path OWN_NAMESPACE = Path.of("/proc/self/ns/net");
    private static final Path RANDOM = Path.of("/dev/urandom");

    private final BridgePlugin plugin;
    private final Path ownNamespace;
    private final Path dataDirDefault;

    /**
     * Calls of a plugin.
     *
     * @param ownNamespace the file of the plugin's own namespace, which must not be a container's
     * @param dataDirDefault the default folder of addresses
     */
    public Invocation(BridgePlugin plugin, Path ownNamespace, Path dataDirDefault) {
        this.plugin = plugin;
        this.ownNamespace = ownNamespace;
        this.dataDirDefault = dataDirDefault;
    }

    /**
     * Calls of the plugin on this node's kernel and files, with the namespace of this process as the node's.
     *
     * @param net may be shared with others
     * @param removal deletes the links of a DEL
     * @param gate is asked before a container gets its addresses
     */
    public static Invocation onThisNode(KernelLinuxNet net, LinkRemoval removal, AddressGate gate) throws IOException {
        return new Invocation(
                new BridgePlugin(net, ipam(net), removal, random(), gate), OWN_NAMESPACE, IpamConfig.DATA_DIR_DEFAULT);
    }

    /** Address management with host-local's locks. */
    static HostLocalIpam ipam(KernelLinuxNet net) {
        return new HostLocalIpam(file -> tryLock(net, file), HostLocalIpam.LOCK_WAIT_MAX);
    }

    /** A lock as host-local takes it. Empty if another holds it. */
    static Optional<LockFile.Held> tryLock(KernelLinuxNet net, Path file) throws IOException {
        try {
            Optional<FileLock> lock = net.tryLock(file);
            return lock.isPresent() ? Optional.of(lock.get()::close) : Optional.empty();
        } catch (LinuxNetException e) {
            throw new IOException(e.getMessage(), e); // of the file, not of the network
        }
    }

    /** Seeded by the kernel, so that two plugins that start at the same time draw different addresses. */
    private static RandomGenerator random() throws IOException {
        try (InputStream in = Files.newInputStream(RANDOM)) {
            return new Random(ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong());
        }
    }

    /** {@link #run(Map, InputStream, Optional)} with the namespace that {@code CNI_NETNS} names. */
    CallOutcome run(Map<String, String> variables, InputStream stdin) {
        return run(variables, stdin, Optional.empty());
    }

    /**
     * Runs the command of the environment. VERSION does not read the input. Calls may run at once in several threads,
     * except calls of the same attachment ({@link AttachmentLocks}). It uses nothing of its own process except its
     * namespace.
     *
     * @param variables the whole environment of the call
     * @param opened a file of the container's namespace to open instead of {@code CNI_NETNS}, such as {@code
     *     /proc/self/fd/7} for a descriptor from a client. The result still names {@code CNI_NETNS}.
     */
    CallOutcome run(Map<String, String> variables, InputStream stdin, Optional<Path> opened) {
        return attempt(variables, stdin, opened, Optional.empty()).orElseThrow();
    }

    /**
     * {@link #run(Map, InputStream, Optional)} for another process, which may see other files.
     *
     * @param same the folder that both processes share
     * @return empty if the call needs other files. Nothing was done then.
     */
    public Optional<CallOutcome> serve(
            Map<String, String> variables, InputStream stdin, Optional<Path> opened, Path same) {
        return attempt(variables, stdin, opened, Optional.of(new SharedFiles(same)));
    }

    private Optional<CallOutcome> attempt(
            Map<String, String> variables, InputStream stdin, Optional<Path> opened, Optional<SharedFiles> files) {
        if (variables.getOrDefault(CniVariable.CNI_COMMAND.name(), "").isEmpty()) {
            return Optional.of(new CallOutcome(0, "", ABOUT));
        }
        StringBuilder warnings = new StringBuilder();
        CniVersion version = CniVersion.latest();
        try {
            CniEnvironment environment = CniEnvironment.of(variables);
            if (environment.command() == CniCommand.VERSION) {
                return Optional.of(CallOutcome.succeeded(versions(), ""));
            }
            byte[] config = readConfig(stdin);
            JsonObject json = JsonParsing.object(config);
            version = NetworkConfigParser.version(json);
            Context context = new Context(json, version, opened, files, warnings);
            return perform(environment, variables, new String(config, StandardCharsets.UTF_8), context)
                    .map(answer -> CallOutcome.succeeded(answer, warnings.toString()));
        } catch (CniException e) {
            return Optional.of(CallOutcome.failed(e, version, warnings.toString()));
        } catch (IOException | RuntimeException e) {
            return Optional.of(CallOutcome.failed(explain(e), version, warnings.toString()));
        }
    }

    /** The input of a call apart from its environment. */
    private record Context(
            JsonObject json,
            CniVersion version,
            Optional<Path> opened,
            Optional<SharedFiles> files,
            StringBuilder warnings) {}

    /** The CNI error for an exception of another kind. */
    static CniException explain(Throwable problem) {
        String message = String.valueOf(problem.getMessage());
        if (problem instanceof CniException refusal) {
            return refusal;
        }
        if (problem instanceof LockTimeoutException) {
            return new CniException(ErrorCode.TRY_AGAIN_LATER, message, problem);
        }
        if (problem instanceof LinuxNetException) {
            return new CniException(ErrorCode.INTERNAL, message, problem);
        }
        if (problem instanceof FileSystemException file) {
            return new CniException(ErrorCode.IO_FAILURE, FileFailure.text(file), problem);
        }
        if (problem instanceof IOException) {
            return new CniException(ErrorCode.IO_FAILURE, message, problem);
        }
        if (problem instanceof DirectoryIteratorException && problem.getCause() instanceof IOException cause) {
            return explain(cause);
        }
        return new CniException(ErrorCode.INTERNAL, "unexpected " + problem, problem);
    }

    /** Empty if the call needs files that are not shared. */
    private Optional<String> perform(
            CniEnvironment environment, Map<String, String> variables, String stdin, Context context)
            throws CniException, IOException {
        CniCommand command = environment.command();
        CniVersion version = context.version();
        if (!version.isAtLeast(command.since())) {
            throw new CniException(
                    ErrorCode.INCOMPATIBLE_VERSION,
                    "config version does not allow " + command,
                    "cniVersion: \"" + version + "\" (expected: >= " + command.since() + ")");
        }
        NetworkConfig config = command.removes()
                ? RemovalConfigParser.parse(context.json())
                : NetworkConfigParser.parse(context.json());
        Sandbox sandbox = new Sandbox(environment.netns(), context.opened());
        Call call = new Call(
                environment, variables, stdin, context.json(), config, sandbox, dataDirDefault, context.warnings());
        if (context.files().isPresent() && !context.files().get().suffice(call)) {
            return Optional.empty();
        }
        if (command.requires(CniVariable.CNI_CONTAINERID) && !environment.netnsOverride() && isOwnNamespace(sandbox)) {
            return Optional.of(answer(withoutNamespace(call)));
        }
        return Optional.of(answer(call));
    }

    private String answer(Call call) throws CniException, IOException {
        CniVersion version = call.config().version();
        switch (call.environment().command()) {
            case ADD -> {
                checkPrevious(call);
                ResultEncoder.checkFits(call.config().ipamType().isPresent() ? 1 : 0, version);
                return ResultEncoder.encode(plugin.add(call), version);
            }
            case DEL -> plugin.del(call);
            case CHECK -> plugin.check(call);
            case GC -> plugin.gc(call);
            case STATUS -> plugin.status(call);
            case VERSION -> throw new IllegalStateException("VERSION is answered without a configuration");
        }
        return "";
    }

    /** Parsed before any change, because the result must repeat it. */
    private static void checkPrevious(Call call) throws CniException {
        Optional<JsonObject> previous = call.json().object("prevResult");
        if (previous.isPresent()) {
            ResultParser.parse(previous.get());
        }
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

    /**
     * Treats a DEL for the node's own namespace as a DEL without a namespace. A reused process ID can name that
     * namespace. If the call were refused, the runtime would repeat it for ever, and the address would stay taken.
     */
    private static Call withoutNamespace(Call call) throws CniException {
        CniEnvironment environment = call.environment();
        if (environment.command() != CniCommand.DEL) {
            throw new CniException(
                    ErrorCode.INVALID_NAMESPACE,
                    "plugin's netns and netns from CNI_NETNS should not be the same",
                    "CNI_NETNS: \"" + environment.netns()
                            + "\" (expected: a container's namespace, or CNI_NETNS_OVERRIDE=1)");
        }
        return call.withoutNamespace();
    }

    private boolean isOwnNamespace(Sandbox sandbox) {
        try {
            return sandbox.isGiven() && Files.isSameFile(sandbox.file(), ownNamespace);
        } catch (IOException | InvalidPathException e) {
            return false; // opening it reports the error
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
