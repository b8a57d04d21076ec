package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The iptables commands of the system, run as child processes. A child is in the network namespace of the thread that
 * calls. For one thread at a time.
 */
public final class IptablesCommand implements Iptables, VariantChoice.Tables {
    /** The time limit of a command. A restore of a million rules takes less. A command that takes longer is killed. */
    private static final Duration RUN_LIMIT = Duration.ofMinutes(2);

    /** How long to wait for another program to free the xtables lock; the nf_tables variant needs none. */
    private static final int LOCK_WAIT_SECONDS = 5;

    /** The exit code for a missing chain. */
    private static final int NO_SUCH_CHAIN = 1;

    private static final String COMMIT = "COMMIT\n";

    private final IpFamily family;
    private final Optional<IptablesVariant> variant;
    private final ProgramPath path;
    private final TableWatch watch;
    private @Nullable IptablesVersion version;

    /** The commands on the PATH, without a watch for changes by others. */
    public IptablesCommand(IpFamily family) {
        this(family, Optional.empty());
    }

    /** The commands of one variant, or the host's default, without such a watch. */
    public IptablesCommand(IpFamily family, Optional<IptablesVariant> variant) {
        this(family, variant, new TableWatch.Blind());
    }

    /**
     * The commands of one variant.
     *
     * @param variant empty for the host's default
     * @param watch watches the namespace of the commands. The commands of both families share it.
     */
    public IptablesCommand(IpFamily family, Optional<IptablesVariant> variant, TableWatch watch) {
        this(family, variant, ProgramPath.ofProcess(), watch);
    }

    IptablesCommand(IpFamily family, Optional<IptablesVariant> variant, ProgramPath path, TableWatch watch) {
        this.family = family;
        this.variant = variant;
        this.path = path;
        this.watch = watch;
    }

    /** A copy of these commands for another thread. It does not watch for changes by others. */
    public IptablesCommand forAnotherThread() {
        return new IptablesCommand(family, variant, path, new TableWatch.Blind());
    }

    @Override
    public IpFamily family() {
        return family;
    }

    /** Whether the host has the program. */
    public boolean isInstalled() {
        return path.find(program("-save")).isPresent();
    }

    @Override
    public IptablesVersion version() throws IptablesException {
        IptablesVersion known = version;
        if (known == null) {
            known = IptablesVersion.parse(run(List.of(program(""), "--version"), Stream::empty));
            version = known;
        }
        return known;
    }

    @Override
    public void check() throws IptablesException {
        restore("*nat\n" + COMMIT);
    }

    @Override
    public String save(Table table) throws IptablesException {
        return run(List.of(program("-save"), "-t", table.toString()), Stream::empty);
    }

    @Override
    public String save() throws IptablesException {
        return run(List.of(program("-save")), Stream::empty);
    }

    @Override
    public Map<Table, SavedTable> tables() throws IptablesException {
        return run(List.of(program("-save")), Stream::empty, output -> new ListingReader(output).read());
    }

    /**
     * Lists the existing tables and makes none. Empty if the command is missing.
     *
     * @throws IptablesException if it fails
     */
    @Override
    public String saveAll() throws IptablesException {
        return isInstalled() ? save() : "";
    }

    /**
     * Lists one chain. With the nf_tables variant it reads no other chain. A legacy command makes the table if it is
     * missing.
     *
     * @throws IptablesException if the command could not be run
     */
    @Override
    public boolean hasChain(Table table, String chain) throws IptablesException {
        String program = program("");
        return path.find(program).isPresent()
                && start(List.of(program, "-t", table.toString(), "-S", chain), Stream::empty, Subprocess::whole)
                                .exitCode()
                        == 0;
    }

    /** Waits for the lock. A legacy command without the lock lists nothing. */
    @Override
    public Optional<List<String>> rules(Table table, String chain) throws IptablesException {
        List<String> command =
                List.of(program(""), "-w", Integer.toString(LOCK_WAIT_SECONDS), "-t", table.toString(), "-S", chain);
        Subprocess.Result<String> result = start(command, Stream::empty, Subprocess::whole);
        if (result.exitCode() == NO_SUCH_CHAIN) {
            return Optional.empty();
        }
        if (result.exitCode() != 0) {
            throw new RestoreFailure(command.get(0), result.exitCode(), result.errors(), "").exception();
        }
        return Optional.of(SavedTable.parse(result.output()).rules(chain));
    }

    /**
     * Lists a table with the packets and bytes that each rule has counted, as {@code iptables-save -c -t TABLE} does.
     *
     * @throws IptablesException if the command is missing or fails
     */
    public String saveWithCounters(Table table) throws IptablesException {
        return run(List.of(program("-save"), "-c", "-t", table.toString()), Stream::empty);
    }

    @Override
    public void restore(String text) throws IptablesException {
        restore(() -> Stream.of(text), commits(text));
    }

    @Override
    public void restore(RestoreText text) throws IptablesException {
        restore(text::pieces, text.commits());
    }

    private void restore(Supplier<Stream<String>> text, int commits) throws IptablesException {
        watch.begin(family);
        try {
            run(List.of(program("-restore"), "--noflush", "-w", Integer.toString(LOCK_WAIT_SECONDS)), text);
        } finally {
            watch.end(family, commits);
        }
    }

    @Override
    public OptionalLong changesByOthers() {
        return watch.changesByOthers(family);
    }

    @Override
    public boolean seesAllChanges() {
        return watch.seesAllChanges();
    }

    private static int commits(String text) {
        int commits = 0;
        for (int at = text.indexOf(COMMIT); at >= 0; at = text.indexOf(COMMIT, at + 1)) {
            commits++;
        }
        return commits;
    }

    private String program(String action) {
        String words = variant.map(chosen -> chosen == IptablesVariant.NFT ? "-nft" : "-legacy")
                .orElse("");
        return (family == IpFamily.IPV4 ? "iptables" : "ip6tables") + words + action;
    }

    private String run(List<String> command, Supplier<Stream<String>> input) throws IptablesException {
        return run(command, input, Subprocess::whole);
    }

    private <T> T run(List<String> command, Supplier<Stream<String>> input, Subprocess.Reader<T> reader)
            throws IptablesException {
        Subprocess.Result<T> result = start(command, input, reader);
        if (result.exitCode() != 0) {
            // The text is generated again to find the line that the command names.
            String text = input.get().collect(Collectors.joining());
            throw new RestoreFailure(command.get(0), result.exitCode(), result.errors(), text).exception();
        }
        return result.output();
    }

    private <T> Subprocess.Result<T> start(
            List<String> command, Supplier<Stream<String>> input, Subprocess.Reader<T> reader)
            throws IptablesException {
        String program = command.get(0);
        List<String> words = new ArrayList<>();
        words.add(path.find(program)
                .orElseThrow(() ->
                        new IptablesException(program + ": not found on PATH (expected: Debian package iptables)"))
                .toString());
        words.addAll(command.subList(1, command.size()));
        try {
            return Subprocess.run(words, input.get(), RUN_LIMIT, reader);
        } catch (IOException e) {
            throw new IptablesException(program + ": " + e.getMessage(), e);
        }
    }
}
