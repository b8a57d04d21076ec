package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.source.objects.SkippedObjects;
import dev.nodepath.endpoints.tracker.ClusterObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A manifest file that is read again and again. It has a version in force, a next version, and the problem that
 * prevents the next one. It is parsed only when its content has changed.
 */
final class ManifestFile {
    /** A file that was written less than this ago may be written again without a new time stamp. */
    private static final Duration SETTLED_AFTER = Duration.ofSeconds(1);

    /**
     * The attributes that show a change. The kernel changes ctime with every write and rename; no program can set it.
     */
    private static final String STAMP = "unix:ino,ctime,size";

    private static final Logger LOG = LoggerFactory.getLogger(ManifestSource.class);
    private static final String NO_CONTENT = "";

    private final Path file;
    private final Clock clock;
    private Map<String, Object> stamp = Map.of();
    private String digest = NO_CONTENT;
    private @Nullable ManifestException broken;

    private @Nullable Version latest;
    private @Nullable Version inForce;
    private @Nullable Version next;
    private @Nullable ManifestException problem;
    private @Nullable String reported;

    /** One content of the file: its objects, their keys, and the unusable objects. */
    record Version(ClusterObjects cluster, Set<ManifestObject.Key> keys, List<BadObject> bad) {}

    ManifestFile(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /**
     * Reads the file if it has changed.
     *
     * @return whether the file exists
     */
    boolean look() {
        try {
            Map<String, Object> now = Files.readAttributes(file, STAMP);
            if (!now.equals(stamp)) {
                FileTime changed = (FileTime) Objects.requireNonNull(now.get("ctime"));
                boolean settled = changed.toInstant().plus(SETTLED_AFTER).isBefore(clock.instant());
                read();
                stamp = settled ? now : Map.of();
            }
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            fail(new ManifestException(file, e.toString(), e));
        } catch (ManifestException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return false;
            }
            fail(e);
        }
        next = latest == null ? inForce : latest;
        problem = broken;
        return true;
    }

    /** Notes that the file is unreadable. The next look reads it again, whatever its stamp. */
    private void fail(ManifestException e) {
        stamp = Map.of();
        digest = NO_CONTENT;
        latest = null;
        broken = e;
    }

    private void read() throws ManifestException {
        byte[] bytes = ManifestFiles.read(file);
        String now = sha256(bytes);
        if (now.equals(digest)) {
            return;
        }
        try {
            List<BadObject> bad = new ArrayList<>();
            Manifests manifests = Manifests.of(ManifestFiles.parse(file, bytes, bad::add), bad::add);
            latest = new Version(
                    manifests.cluster(),
                    manifests.objects().stream()
                            .filter(object -> !object.name().isEmpty())
                            .map(ManifestObject::key)
                            .collect(Collectors.toUnmodifiableSet()),
                    List.copyOf(bad));
            broken = null;
        } catch (ManifestException e) {
            latest = null;
            broken = e;
        }
        // The digest is set last: after any other exception the content is parsed again.
        digest = now;
    }

    Path file() {
        return file;
    }

    /** The version that is to come into force; null if there is none. */
    @Nullable
    Version next() {
        return next;
    }

    /** The version in force; null if there is none. */
    @Nullable
    Version inForce() {
        return inForce;
    }

    /** The problem of the newest content; null if there is none. */
    @Nullable
    ManifestException problem() {
        return problem;
    }

    /** Whether the next version differs from the one in force. */
    boolean isNew() {
        return !Objects.equals(next, inForce);
    }

    /** Drops the next version, for this reason. The version in force stays. */
    void refuse(ManifestException reason) {
        next = inForce;
        problem = reason;
    }

    /**
     * Puts the next version in force.
     *
     * @param skipped gets the problems of its objects
     * @return whether the version in force has changed
     */
    boolean accept(SkippedObjects skipped) {
        boolean changed = isNew();
        if (changed && next != null) {
            next.bad().forEach(bad -> skipped.report(bad.kind(), bad.place(), bad.problems()));
        }
        inForce = next;
        return changed;
    }

    /** Logs a new problem of the content once, and logs when it is solved. */
    void report() {
        String now = problem == null ? null : digest + problem.reason();
        if (Objects.equals(now, reported)) {
            return;
        }
        reported = now;
        if (problem != null) {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("reason", problem.reason())
                    .log("manifest.rejected");
        } else {
            LOG.atInfo().addKeyValue("file", file).log("manifest.accepted");
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
