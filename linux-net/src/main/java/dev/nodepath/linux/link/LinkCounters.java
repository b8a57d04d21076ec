package dev.nodepath.linux.link;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Map;

/** The counters of all links of one network namespace. Reading them needs no privileges. */
public interface LinkCounters extends AutoCloseable {
    /**
     * Reads them in one request. A link that comes or goes meanwhile may be missing.
     *
     * @return the links by their indexes. The kernel does not reuse the index of a lost link.
     * @throws LinuxNetException if the kernel refused it
     */
    Map<Integer, LinkTraffic> read() throws LinuxNetException;

    @Override
    void close();
}
