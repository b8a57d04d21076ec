package dev.nodepath.linux.namespace;

import dev.nodepath.linux.syscall.Errno;

/**
 * The calling thread could not leave a network namespace. It must end: its next action would be in the wrong
 * namespace. So this is no exception that a caller handles before it goes on.
 */
final class LostThreadError extends Error {
    private static final long serialVersionUID = 1L;

    LostThreadError(String namespace, Errno errno) {
        super("thread could not leave network namespace " + namespace + ": " + errno);
    }
}
