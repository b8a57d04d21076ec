package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.portals.Destination;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/** Finds the destination of an accepted connection before a portal rule redirected it. */
@FunctionalInterface
public interface OriginalDestination {
    /**
     * The destination before translation.
     *
     * @throws IOException if the kernel has no translation of this connection, or the client is gone already
     */
    Destination of(Socket client, IpFamily family) throws IOException;
}
