package dev.nodepath.agent.process;

import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Checks that this process has the privileges of its command. */
public final class Capability {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String EFFECTIVE = "CapEff:";
    /** {@code include/uapi/linux/capability.h} */
    private static final int NET_ADMIN = 12;

    private Capability() {}

    /** Fails if this process may not change the network. */
    public static void requireNetAdmin() throws CommandException, IOException {
        try (Stream<String> lines = Files.lines(STATUS)) {
            requireNetAdmin(
                    lines.filter(line -> line.startsWith(EFFECTIVE)).findFirst().orElse(""));
        }
    }

    /** Fails if this line of {@code proc_pid_status(5)} does not name the capability. */
    public static void requireNetAdmin(String line) throws CommandException {
        long set = line.isEmpty()
                ? 0
                : Long.parseUnsignedLong(line.substring(EFFECTIVE.length()).strip(), 16);
        if ((set >> NET_ADMIN & 1) == 0) {
            throw CommandException.failed(
                    "CAP_NET_ADMIN: missing (expected: root, or a container with the capability NET_ADMIN)");
        }
    }
}
