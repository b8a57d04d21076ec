package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.io.NameLock;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;

/** Held while a cluster of this user starts: until it has a record, a second {@code up} would not see it. */
final class UpLock implements AutoCloseable {
    private final NameLock lock;

    private UpLock(NameLock lock) {
        this.lock = lock;
    }

    /** Takes it, or says that another one has it. */
    static UpLock acquire() throws CommandException, IOException {
        return new UpLock(NameLock.tryAcquire(Syscalls.load(), "nodepath-up:" + ClusterRecord.folder())
                .orElseThrow(() -> CommandException.failed("a cluster is already starting (expected: wait for that"
                        + " 'nodepath up', then 'nodepath down')")));
    }

    @Override
    public void close() {
        lock.close();
    }
}
