package dev.nodepath.linux.link;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.charset.StandardCharsets;

/** Refuses names of links that the kernel would change silently instead of refusing them. */
final class LinkNames {
    private static final int BYTES_MAX = 15;

    private LinkNames() {}

    /**
     * Refuses names that the kernel would change: it invents a name for an empty one, and cuts a name at a zero byte.
     */
    static void check(String operation, String name) throws LinuxNetException {
        if (name.isEmpty() || name.indexOf('%') >= 0 || name.indexOf('\0') >= 0) {
            throw new LinuxNetException(
                    operation, Errno.EINVAL.number(), "name: \"" + name + "\" (expected: a whole name)");
        }
        if (isTooLong(name)) {
            throw new LinuxNetException(
                    operation, Errno.ERANGE.number(), "name: \"" + name + "\" (expected: at most 15 bytes)");
        }
    }

    /** Whether no link can have this name. */
    static boolean isTooLong(String name) {
        return name.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX;
    }
}
