package dev.nodepath.linux.namespace;

import dev.nodepath.linux.syscall.Errno;

/**
 * The calling thread could not leave a network namespace. It must end: whatever it does next would be done in the wrong
 * namespace. So this is no exception that anybody handles and goes on.
 */
final class LostThreadError extends Error {
    private static final long serialVersionUID = 1L;

    LostThreadError(String namespace, Errno errno) {
        super("thread could not leave network namespace " + namespace + ": " + errno);
    }
}
