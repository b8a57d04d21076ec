package dev.nodepath.linux;

import dev.nodepath.linux.syscall.Errno;

/** An error number on its way from the fake kernel's inside to the call that names the operation. */
final class FakeRefusal extends Exception {
    private final Errno errno;

    FakeRefusal(Errno errno) {
        super(errno.name());
        this.errno = errno;
    }

    Errno errno() {
        return errno;
    }
}
