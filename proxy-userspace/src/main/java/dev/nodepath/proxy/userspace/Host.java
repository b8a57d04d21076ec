package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/** The network namespace of the process. */
@FunctionalInterface
interface Host {
    NetworkNamespace open() throws LinuxNetException;
}
