package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Whether connections of this host bear an address that is not its own, by the kernel's lists of sockets
 * ({@code proc_net_tcp.rst}) in the network namespace of the calling thread.
 */
public final class TransparentConnections {
    /** {@code TCP_TIME_WAIT}, {@code TCP_CLOSE} and {@code TCP_LISTEN} of {@code include/net/tcp_states.h}. */
    private static final Set<String> WITHOUT_PEER = Set.of("06", "07", "0A");

    /** IPv4 addresses of sockets that serve both versions. The relay has no such socket. */
    private static final Cidr MAPPED = new Cidr(mapped(), 96);

    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final int HEX = 16;
    private static final int WORD_DIGITS = 8;

    private final Path lists;

    /** Reads the kernel's lists. */
    public TransparentConnections() {
        this(Path.of("/proc/thread-self/net"));
    }

    TransparentConnections(Path lists) {
        this.lists = lists;
    }

    /**
     * Whether there are any.
     *
     * @param host the host's own addresses
     * @throws IOException if the list cannot be read
     */
    public boolean any(IpFamily family, Set<IpAddress> host) throws IOException {
        Path file = lists.resolve(family == IpFamily.IPV4 ? "tcp" : "tcp6");
        if (!Files.exists(file)) {
            return false;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String line = lines.readLine();
            while ((line = lines.readLine()) != null) {
                String[] fields = line.strip().split("\\s+", STATE + 2);
                if (!WITHOUT_PEER.contains(fields[STATE])) {
                    IpAddress local = address(fields[LOCAL_ADDRESS]);
                    if (!MAPPED.contains(local) && !local.isLoopback() && !host.contains(local)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** {@code ::ffff:0.0.0.0}, which the parser of Java takes for IPv4. */
    private static IpAddress mapped() {
        byte[] bytes = new byte[IpFamily.IPV6.bits() / Byte.SIZE];
        bytes[10] = -1;
        bytes[11] = -1;
        return IpAddress.of(bytes);
    }

    /** The kernel writes each four bytes as a number. */
    private static IpAddress address(String hexAndPort) {
        String hex = hexAndPort.substring(0, hexAndPort.indexOf(':'));
        ByteBuffer bytes = ByteBuffer.allocate(hex.length() / 2).order(ByteOrder.nativeOrder());
        for (int at = 0; at < hex.length(); at += WORD_DIGITS) {
            bytes.putInt(Integer.parseUnsignedInt(hex.substring(at, at + WORD_DIGITS), HEX));
        }
        return IpAddress.of(bytes.array());
    }
}
