package dev.nodepath.linux.watch;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.List;

/** The kernel's announcements of changes in a namespace, from the moment when it was opened. For one thread at a time. */
public interface NetworkWatch extends AutoCloseable {

    /**
     * Waits for announcements.
     *
     * @return those that came together, in their order; none if there were none within the limit
     */
    List<NetworkChange> await(Duration limit) throws LinuxNetException;

    @Override
    void close();
}
