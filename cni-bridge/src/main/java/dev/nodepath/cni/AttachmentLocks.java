package dev.nodepath.cni;

import dev.nodepath.cni.ipam.LockFile;
import dev.nodepath.cni.ipam.LockTimeoutException;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.result.CallOutcome;
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
 * One call at a time for each attachment, among all processes of the node: the server may still be at work on a call whose
 * client has turned to a JVM of its own, and a runtime that lost patience may come again.
 *
 * <p>There is a fixed number of lock files, which are never removed: removing one while others wait for it would let two in.
 * Attachments that share one merely wait for each other.
 */
public final class AttachmentLocks {
    /** Beside the server's socket; locks mean nothing after the node has started again. */
    private static final Path DIRECTORY = Path.of("/run/nodepath/cni-locks");

    /** How long a call waits for others of its attachment: longer than any of them takes. */
    private static final Duration WAIT_MAX = Duration.ofSeconds(30);

    private static final int FILES_MAX = 4096;
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final Path directory;
    private final LockFile lockFile;
    private final Duration waitMax;

    /**
     * Locks in a directory, which is made when it is needed.
     *
     * @param waitMax a call that waited for longer is refused with code 11
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

    /** Makes the call when no other of the same attachment is under way. What is about no attachment is made at once. */
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
        SharedFolder.make(directory);
        Path file = directory.resolve(Integer.toString(Math.floorMod(attachment.hashCode(), FILES_MAX)));
        long deadline = System.nanoTime() + waitMax.toNanos();
        while (true) {
            Optional<LockFile.Held> held = lockFile.tryLock(file);
            if (held.isPresent()) {
                return held.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new LockTimeoutException(
                        "another call for " + attachment + " is under way for " + waitMax.toMillis() + " ms");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
