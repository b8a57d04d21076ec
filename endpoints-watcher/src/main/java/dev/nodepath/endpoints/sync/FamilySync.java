package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Brings the rules of one family into force.
 *
 * @param <F> the rules
 */
public interface FamilySync<F> {
    /** Returns when the rules are in force. */
    void sync(F rules) throws IOException;

    /**
     * Syncs each family, even if another one fails.
     *
     * @param rules those of each family
     * @param what the word for them, such as {@code rules}
     * @throws SyncException if one failed, with the failures of the others suppressed
     */
    static <F> void each(List<? extends F> rules, Function<F, IpFamily> family, String what, FamilySync<F> sync)
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
