package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;

/** The network namespace that the process is in. */
@FunctionalInterface
interface Host {
    NetworkNamespace open() throws LinuxNetException;
}
