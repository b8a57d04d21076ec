package dev.nodepath.emulator;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Held while a cluster starts: until it has a record, a second {@code up} would not see it. */
final class UpLock implements AutoCloseable {
    private final Path file;
    private final FileLock lock;

    private UpLock(Path file, FileLock lock) {
        this.file = file;
        this.lock = lock;
    }

    /** Takes it, or says that another one has it. */
    static UpLock acquire() throws CommandException, IOException {
        Path file = Files.createDirectories(ClusterRecord.folder()).resolve("up.lock");
        FileLock lock = FileLock.tryAcquire(Syscalls.load(), file)
                .orElseThrow(() -> CommandException.failed(
                        "a cluster is already starting (expected: wait for that 'nodepath up', then 'nodepath down')"));
        return new UpLock(file, lock);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
        lock.close();
        ClusterRecord.removeStale();
    }
}
