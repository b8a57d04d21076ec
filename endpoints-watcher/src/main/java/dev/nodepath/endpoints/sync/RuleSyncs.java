package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;

/**
 * Keeps a mode's rules of all served families in sync.
 *
 * @param <O> see {@link RuleWriter}
 * @param <S> see {@link RuleWriter}
 */
public final class RuleSyncs<O, S> {
    private final List<? extends RuleSync<O, ?, S>> families;
    private final String what;
    private final S empty;

    /** Asks this host for values, such as its addresses or the options of rules on it. */
    public interface HostReader<T> {
        /** The values at this moment. */
        T read() throws IOException;
    }

    /**
     * Does not know yet which rules are in force.
     *
     * @param families the rules of each served family
     * @param what the word for them in errors
     * @param empty the size of a family's rules that is not served
     */
    public RuleSyncs(List<? extends RuleWriter<O, ?, S>> families, String what, S empty) {
        this.families = families.stream()
                .map(rules -> new RuleSync<>(rules, InstantSource.system()))
                .toList();
        this.what = what;
        this.empty = empty;
    }

    /**
     * Syncs all families, each even if another one fails.
     *
     * @param options without them no family is synced
     * @param done called after a family's rules are in force
     * @throws SyncException if one failed; it names the failed ones
     */
    public void sync(ServiceSnapshot desired, ChangeSet changed, HostReader<O> options, Consumer<IpFamily> done)
            throws SyncException {
        O now;
        try {
            now = options.read();
        } catch (IOException e) {
            throw new SyncException("host: " + e.getMessage(), e);
        }
        FamilySync.each(families, RuleSync::family, what, family -> {
            family.sync(desired, changed, now);
            done.accept(family.family());
        });
    }

    /** The counters of a family's syncs. For any thread. All zero for a family that is not served. */
    public RuleSyncStats<S> stats(IpFamily family) {
        for (RuleSync<O, ?, S> sync : families) {
            if (sync.family() == family) {
                return sync.stats();
            }
        }
        return RuleSyncStats.none(empty);
    }
}
