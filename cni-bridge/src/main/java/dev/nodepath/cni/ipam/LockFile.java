package dev.nodepath.cni.ipam;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A lock between programs and threads by {@code flock(2)}, as host-local takes it. */
@FunctionalInterface
public interface LockFile {

    /**
     * Takes the lock of a file. It creates a missing file.
     *
     * @return empty if another holds it
     */
    Optional<Held> tryLock(Path file) throws IOException;

    /** A held lock. It ends when it is closed or the process ends. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }
}
