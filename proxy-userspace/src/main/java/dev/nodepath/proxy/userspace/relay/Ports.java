package dev.nodepath.proxy.userspace.relay;

import java.io.IOException;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Finds ports to listen on: the kernel's choice, or the free ports of a range, from a random one on. */
public final class Ports {
    private final Optional<PortRange> range;
    private final RandomGenerator random;

    /** Opens a socket on a port; 0 means a port of the kernel's choice. */
    interface Opener<T> {
        T open(int port) throws IOException;
    }

    /** Ports of a range; without one, of the kernel's choice. */
    public Ports(Optional<PortRange> range, RandomGenerator random) {
        this.range = range;
        this.random = random;
    }

    /**
     * Opens a socket on the first port that is free.
     *
     * @throws IOException if there is none; it names the range
     */
    <T> T open(Opener<T> opener) throws IOException {
        if (range.isEmpty()) {
            return opener.open(0);
        }
        PortRange ports = range.get();
        int start = random.nextInt(ports.size());
        IOException last = null;
        for (int i = 0; i < ports.size(); i++) {
            try {
                return opener.open(ports.first() + (start + i) % ports.size());
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException("port range " + ports + ": no port can be opened", last);
    }
}
