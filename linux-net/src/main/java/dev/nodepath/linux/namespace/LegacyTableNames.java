package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;

/** Which legacy iptables tables the network namespace of the calling thread has: {@code /proc/net/ip_tables_names}. */
final class LegacyTableNames {
    private static final Path IPV4 = Path.of("/proc/thread-self/net/ip_tables_names");
    private static final Path IPV6 = Path.of("/proc/thread-self/net/ip6_tables_names");

    private LegacyTableNames() {}

    /** None if the kernel has no legacy iptables. */
    public static Set<String> read(IpFamily family) throws LinuxNetException {
        Path file = family == IpFamily.IPV4 ? IPV4 : IPV6;
        try {
            return Set.copyOf(Files.readAllLines(file));
        } catch (NoSuchFileException e) {
            return Set.of();
        } catch (AccessDeniedException e) {
            throw new LinuxNetException("read " + file, Errno.EACCES.number(), "", e);
        } catch (IOException e) {
            throw new LinuxNetException("read " + file, Errno.EIO.number(), String.valueOf(e.getMessage()), e);
        }
    }
}
