package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Path;

/**
 * The kernel's network namespaces. All other operations are methods of a {@link NetworkNamespace} opened here.
 *
 * <p>Named namespaces are those of iproute2: files below {@code /run/netns} ({@code ip-netns(8)}). A name that is no
 * valid file name is an {@link IllegalArgumentException}.
 */
public interface LinuxNet {

    /** The namespace this process was started in. */
    NetworkNamespace current() throws LinuxNetException;

    /**
     * Opens the namespace of a file, such as a bind mount or {@code /proc/PID/ns/net}.
     *
     * @throws LinuxNetException ENOENT if there is no such file, EINVAL if it is no network namespace
     */
    NetworkNamespace open(Path path) throws LinuxNetException;

    /**
     * Opens a named namespace.
     *
     * @throws LinuxNetException ENOENT if there is none of that name
     */
    NetworkNamespace openNamed(String name) throws LinuxNetException;

    /**
     * Makes a new named namespace that {@code ip netns} sees, its loopback link down.
     *
     * @throws LinuxNetException EEXIST if the name is taken
     */
    NetworkNamespace create(String name) throws LinuxNetException;

    /**
     * Removes a name. The kernel removes the namespace when nothing uses it any more.
     *
     * @throws LinuxNetException ENOENT if there is none of that name
     */
    void delete(String name) throws LinuxNetException;

    /** The file of a named namespace, whether it exists or not. */
    Path path(String name);
}
