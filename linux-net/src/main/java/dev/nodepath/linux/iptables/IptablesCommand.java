package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The iptables commands of the system, run as child processes. A child is in the network namespace of the thread that
 * calls.
 */
public final class IptablesCommand implements Iptables {
    /** Longer than a restore of a million rules takes; a command that is not done by then is killed. */
    private static final Duration RUN_LIMIT = Duration.ofMinutes(2);

    /** How long to wait for another program to free the xtables lock; the nf_tables variant needs none. */
    private static final int LOCK_WAIT_SECONDS = 5;

    private final IpFamily family;
    private final List<String> launcher;
    private final ProgramPath path;
    private final IptablesVariant variant;

    /** The commands, as found on the PATH. */
    public IptablesCommand(IpFamily family) {
        this(family, IptablesVariant.DEFAULT);
    }

    /** The commands of one variant, as found on the PATH. */
    public IptablesCommand(IpFamily family, IptablesVariant variant) {
        this(family, variant, List.of());
    }

    /**
     * The commands, run by another command.
     *
     * @param launcher the words before each command, such as {@code ip netns exec NAME}
     */
    public IptablesCommand(IpFamily family, List<String> launcher) {
        this(family, IptablesVariant.DEFAULT, launcher);
    }

    /** The commands of one variant, run by another command. */
    public IptablesCommand(IpFamily family, IptablesVariant variant, List<String> launcher) {
        this(family, variant, launcher, ProgramPath.ofProcess());
    }

    IptablesCommand(IpFamily family, List<String> launcher, ProgramPath path) {
        this(family, IptablesVariant.DEFAULT, launcher, path);
    }

    private IptablesCommand(IpFamily family, IptablesVariant variant, List<String> launcher, ProgramPath path) {
        this.family = family;
        this.variant = variant;
        this.launcher = List.copyOf(launcher);
        this.path = path;
    }

    @Override
    public IpFamily family() {
        return family;
    }

    /** Which implementation it is. */
    public IptablesVariant variant() {
        return variant;
    }

    @Override
    public String save(Table table) throws IptablesException {
        return run(List.of(program("save"), "-t", table.toString()), "");
    }

    /**
     * Lists the tables that there are; makes none. Empty if the command is missing.
     *
     * @throws IptablesException if it fails
     */
    String saveAll() throws IptablesException {
        return path.find(program("save")).isEmpty() ? "" : run(List.of(program("save")), "");
    }

    /**
     * Lists a table with the packets and bytes that each rule has counted, as {@code iptables-save -c -t TABLE} does.
     *
     * @throws IptablesException if the command is missing or fails
     */
    public String saveWithCounters(Table table) throws IptablesException {
        return run(List.of(program("save"), "-c", "-t", table.toString()), "");
    }

    @Override
    public void restore(String text) throws IptablesException {
        run(List.of(program("restore"), "--noflush", "-w", Integer.toString(LOCK_WAIT_SECONDS)), text);
    }

    private String program(String action) {
        return variant.program(family, action);
    }

    private String run(List<String> command, String input) throws IptablesException {
        String program = command.get(0);
        List<String> words = new ArrayList<>(launcher);
        words.add(path.find(program)
                .orElseThrow(() ->
                        new IptablesException(program + ": not found on PATH (expected: Debian package iptables)"))
                .toString());
        words.addAll(command.subList(1, command.size()));
        Subprocess.Result result;
        try {
            result = Subprocess.run(words, input, RUN_LIMIT);
        } catch (IOException e) {
            throw new IptablesException(program + ": " + e.getMessage(), e);
        }
        if (result.exitCode() != 0) {
            throw new IptablesException(RestoreFailure.message(program, result.exitCode(), result.errors(), input));
        }
        return result.output();
    }
}
