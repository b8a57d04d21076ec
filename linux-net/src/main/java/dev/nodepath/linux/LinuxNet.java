package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Path;
import java.util.List;

/**
 * The kernel's network namespaces. Every other operation is one on a {@link NetworkNamespace} that was opened here.
 *
 * <p>Named namespaces are those of iproute2: files below {@code /run/netns} ({@code ip-netns(8)}). A name that no file can
 * have is an {@link IllegalArgumentException}.
 */
public interface LinuxNet {

    /** The namespace this process was started in. */
    NetworkNamespace current() throws LinuxNetException;

    /**
     * Opens the namespace that a file stands for, such as a bind mount or {@code /proc/PID/ns/net}.
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
     * Opens the namespace of a process.
     *
     * @throws LinuxNetException ENOENT if there is no such process
     */
    NetworkNamespace openProcess(long pid) throws LinuxNetException;

    /**
     * Makes a new named namespace that {@code ip netns} sees, its loopback link down.
     *
     * @throws LinuxNetException EEXIST if the name is taken
     */
    NetworkNamespace create(String name) throws LinuxNetException;

    /**
     * Removes a name; the namespace itself goes when nothing uses it any more.
     *
     * @throws LinuxNetException ENOENT if there is none of that name
     */
    void delete(String name) throws LinuxNetException;

    /** The names of all named namespaces, sorted. */
    List<String> names() throws LinuxNetException;

    /** The file of a named namespace, whether it exists or not. */
    Path path(String name);
}
