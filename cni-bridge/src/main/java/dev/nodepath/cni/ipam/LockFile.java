package dev.nodepath.cni.ipam;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Exclusion between programs, and between threads of one, by {@code flock(2)}: the lock that host-local takes. */
@FunctionalInterface
public interface LockFile {

    /**
     * Takes the lock of a file, which is made if it is missing.
     *
     * @return empty if somebody else holds it
     */
    Optional<Held> tryLock(Path file) throws IOException;

    /** A lock that is held until it is closed, or until the process ends. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }
}
