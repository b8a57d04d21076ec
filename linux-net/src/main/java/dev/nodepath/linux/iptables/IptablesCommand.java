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

    /** The commands, as found on the PATH. */
    public IptablesCommand(IpFamily family) {
        this(family, List.of());
    }

    /**
     * The commands, run by another command.
     *
     * @param launcher the words before each command, such as {@code ip netns exec NAME}
     */
    public IptablesCommand(IpFamily family, List<String> launcher) {
        this(family, launcher, ProgramPath.ofProcess());
    }

    IptablesCommand(IpFamily family, List<String> launcher, ProgramPath path) {
        this.family = family;
        this.launcher = List.copyOf(launcher);
        this.path = path;
    }

    @Override
    public IpFamily family() {
        return family;
    }

    @Override
    public String save(Table table) throws IptablesException {
        return run(List.of(program("save"), "-t", table.toString()), "");
    }

    @Override
    public void restore(String text) throws IptablesException {
        run(List.of(program("restore"), "--noflush", "-w", Integer.toString(LOCK_WAIT_SECONDS)), text);
    }

    private String program(String action) {
        return (family == IpFamily.IPV4 ? "iptables-" : "ip6tables-") + action;
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
