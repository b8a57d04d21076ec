package dev.nodepath.cni;

import dev.nodepath.cni.ipam.LockFile;
import dev.nodepath.cni.ipam.LockTimeoutException;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Allows one call at a time for each attachment, among all processes of the node. Two calls may overlap if a client
 * starts its own JVM while the server still works, or if a runtime repeats a call after a timeout.
 *
 * <p>The number of lock files is fixed, and they are never removed: removing one while others wait for it would let two
 * calls run. Attachments that share a file wait for each other.
 */
public final class AttachmentLocks {
    /** The folder of the lock files. It is beside the server's socket, and a reboot clears it. */
    private static final Path DIRECTORY = Path.of("/run/nodepath/cni-locks");

    /** How long a call waits for another of its attachment. No call takes longer. */
    private static final Duration WAIT_MAX = Duration.ofSeconds(30);

    private static final int FILES_MAX = 4096;
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Path directory;
    private final LockFile lockFile;
    private final Duration waitMax;

    /**
     * Locks in a directory, which is made when it is needed.
     *
     * @param waitMax a call that waits longer fails with code 11
     */
    public AttachmentLocks(Path directory, LockFile lockFile, Duration waitMax) {
        this.directory = directory;
        this.lockFile = lockFile;
        this.waitMax = waitMax;
    }

    /** The locks that all processes of this node share. */
    public static AttachmentLocks onThisNode(KernelLinuxNet net) {
        return new AttachmentLocks(
                DIRECTORY,
                file -> {
                    Optional<FileLock> lock = net.tryLock(file);
                    return lock.isPresent() ? Optional.of(lock.get()::close) : Optional.empty();
                },
                WAIT_MAX);
    }

    /** Runs the call when no other call of the attachment runs. A call without an attachment runs at once. */
    public CallOutcome alone(Map<String, String> variables, Supplier<CallOutcome> call) {
        String container = variables.getOrDefault(CniVariable.CNI_CONTAINERID.name(), "");
        if (container.isEmpty()) {
            return call.get();
        }
        String attachment = container + "/" + variables.getOrDefault(CniVariable.CNI_IFNAME.name(), "");
        LockFile.Held held;
        try {
            held = lock(attachment);
        } catch (IOException e) {
            return CallOutcome.failed(Invocation.explain(e), CniVersion.latest(), "");
        }
        try {
            return call.get();
        } finally {
            held.close();
        }
    }

    private LockFile.Held lock(String attachment) throws IOException {
        SharedFolder.makeTrusted(directory);
        Path file = directory.resolve(Integer.toString(Math.floorMod(attachment.hashCode(), FILES_MAX)));
        long deadline = System.nanoTime() + waitMax.toNanos();
        while (true) {
            Optional<LockFile.Held> held = lockFile.tryLock(file);
            if (held.isPresent()) {
                return held.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new LockTimeoutException(
                        "another call for " + attachment + " has not ended after " + waitMax.toMillis() + " ms");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
