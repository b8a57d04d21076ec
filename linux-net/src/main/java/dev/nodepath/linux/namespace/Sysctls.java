package dev.nodepath.linux.namespace;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.nio.charset.StandardCharsets;

/** Settings below {@code /proc/sys} in the calling thread's namespace. */
public final class Sysctls {
    private static final String ROOT = "/proc/sys/";
    private static final int VALUE_LENGTH_MAX_BYTES = 4096;

    private final Syscalls syscalls;

    Sysctls(Syscalls syscalls) {
        this.syscalls = syscalls;
    }

    /**
     * The key itself if it is well formed. Only settings below {@code net/} belong to a network namespace.
     *
     * @throws IllegalArgumentException if it leads anywhere else
     */
    public static String checkedKey(String key) {
        boolean wellFormed = key.startsWith("net/") && key.indexOf('\0') < 0;
        for (String part : key.split("/", -1)) {
            wellFormed &= !part.isEmpty() && !part.equals(".") && !part.equals("..");
        }
        if (!wellFormed) {
            throw new IllegalArgumentException(
                    "setting: \"" + key + "\" (expected: a path such as net/ipv4/ip_forward)");
        }
        return key;
    }

    /**
     * The value without the line end.
     *
     * @throws LinuxNetException ERANGE if it is longer than 4095 bytes, which none is that the kernel documents
     */
    String read(String key) throws LinuxNetException {
        String operation = "read setting " + key;
        int fd = Syscalls.orThrow(operation, syscalls.open(ROOT + key, Syscalls.O_RDONLY | Syscalls.O_CLOEXEC, 0));
        try {
            byte[] value = new byte[VALUE_LENGTH_MAX_BYTES];
            int length = Syscalls.orThrow(operation, syscalls.read(fd, value));
            if (length == VALUE_LENGTH_MAX_BYTES) {
                throw new LinuxNetException(operation, Errno.ERANGE.number(), "longer than 4095 bytes");
            }
            return new String(value, 0, length, StandardCharsets.UTF_8).strip();
        } finally {
            syscalls.close(fd);
        }
    }

    void write(String key, String value) throws LinuxNetException {
        String operation = "set setting " + key + " to " + value;
        int fd = Syscalls.orThrow(operation, syscalls.open(ROOT + key, Syscalls.O_WRONLY | Syscalls.O_CLOEXEC, 0));
        try {
            Syscalls.orThrow(operation, syscalls.write(fd, value.getBytes(StandardCharsets.UTF_8)));
        } finally {
            syscalls.close(fd);
        }
    }
}
