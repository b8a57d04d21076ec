package dev.nodepath.linux.namespace;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.List;

/** The kernel's notifications of changes in a namespace since it was opened. For one thread at a time. */
public interface NetworkWatch extends AutoCloseable {

    /**
     * Waits for notifications.
     *
     * @return the changes of one datagram in their order; none after the timeout
     */
    List<NetworkChange> await(Duration limit) throws LinuxNetException;

    @Override
    void close();
}
