package dev.nodepath.proxy.iptables.conntrack;

import dev.nodepath.linux.address.IpFamily;
import java.time.Duration;

/** Is told what a {@link ConntrackCleaner} has done, on its thread. */
public interface ConntrackCleanerListener {
    /** Does nothing. */
    ConntrackCleanerListener NONE = new ConntrackCleanerListener() {};

    /** Flows of one family were looked at, and so many removed. */
    default void cleaned(IpFamily family, int removed, Duration duration) {}

    /** That did not work; it is tried again soon. */
    default void failed(IpFamily family) {}
}
