package dev.nodepath.endpoints;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** A snapshot could not be brought into force for all families; see {@link #inForce}. */
public final class SyncException extends Exception {
    private final transient Set<IpFamily> inForce;

    /** A failure with its cause. The state of all families is unknown until a later sync succeeds. */
    public SyncException(String message, Throwable cause) {
        this(message, cause, Set.of());
    }

    /** A failure that does not affect these families. */
    public SyncException(String message, Throwable cause, Set<IpFamily> inForce) {
        super(message, cause);
        this.inForce = Set.copyOf(inForce);
    }

    /** The families with the snapshot in force. */
    public Set<IpFamily> inForce() {
        return inForce;
    }

    /** Brings a snapshot into force for one family. */
    public interface FamilySync<F> {
        /** Brings the rules of one family into force. */
        void sync(F rules) throws IOException;
    }

    /**
     * Syncs each family, even if another one fails.
     *
     * @param rules those of each family
     * @param what the word for them, such as {@code rules}
     * @throws SyncException if one failed, with the failures of the others suppressed
     */
    public static <F> void syncEach(
            List<? extends F> rules, Function<F, IpFamily> family, String what, FamilySync<F> sync)
            throws SyncException {
        Set<IpFamily> inForce = EnumSet.noneOf(IpFamily.class);
        Map<IpFamily, Exception> failures = new EnumMap<>(IpFamily.class);
        for (F each : rules) {
            try {
                sync.sync(each);
                inForce.add(family.apply(each));
            } catch (IOException | RuntimeException e) {
                failures.put(family.apply(each), e);
            }
        }
        SyncException first = null;
        for (Map.Entry<IpFamily, Exception> failed : failures.entrySet()) {
            Exception cause = failed.getValue();
            String words = cause instanceof IOException ? String.valueOf(cause.getMessage()) : cause.toString();
            SyncException next = new SyncException(failed.getKey() + " " + what + ": " + words, cause, inForce);
            if (first == null) {
                first = next;
            } else {
                first.addSuppressed(next);
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
