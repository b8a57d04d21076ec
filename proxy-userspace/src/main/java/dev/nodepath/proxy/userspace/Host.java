package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/** The network namespace that the process is in. */
@FunctionalInterface
interface Host {
    NetworkNamespace open() throws LinuxNetException;
}
