package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Whether a process in the network namespace of the calling thread listens on a port, by the kernel's lists of sockets
 * ({@code proc_net_tcp.rst}). Reading a list costs time for each socket. So it is read only when rules redirect to
 * another process.
 */
final class OpenPorts {
    /** {@code TCP_LISTEN} of {@code include/net/tcp_states.h}. */
    private static final String LISTENING = "0A";

    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;

    private final Path lists;

    /** Reads the kernel's lists. */
    OpenPorts() {
        this(Path.of("/proc/thread-self/net"));
    }

    OpenPorts(Path lists) {
        this.lists = lists;
    }

    /**
     * Whether one of the ports is open.
     *
     * @throws IOException if a list cannot be read
     */
    boolean anyOf(Set<RedirectedPorts.Port> ports, IpFamily family) throws IOException {
        for (Protocol protocol : Set.of(Protocol.TCP, Protocol.UDP)) {
            if (ports.stream().anyMatch(port -> port.protocol() == protocol) && anyOf(ports, protocol, family)) {
                return true;
            }
        }
        return false;
    }

    private boolean anyOf(Set<RedirectedPorts.Port> ports, Protocol protocol, IpFamily family) throws IOException {
        // A socket on :: may serve IPv4 too.
        boolean inIpv6 = anyIn(protocol.lowerCase() + "6", ports, protocol);
        return inIpv6 || (family == IpFamily.IPV4 && anyIn(protocol.lowerCase(), ports, protocol));
    }

    private boolean anyIn(String list, Set<RedirectedPorts.Port> ports, Protocol protocol) throws IOException {
        Path file = lists.resolve(list);
        if (!Files.exists(file)) {
            return false;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String line = lines.readLine();
            while ((line = lines.readLine()) != null) {
                String[] fields = line.strip().split("\\s+", STATE + 2);
                boolean open = protocol == Protocol.UDP
                        || fields[STATE].toUpperCase(Locale.ROOT).equals(LISTENING);
                if (open && ports.contains(new RedirectedPorts.Port(protocol, port(fields[LOCAL_ADDRESS])))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1), 16);
    }
}
