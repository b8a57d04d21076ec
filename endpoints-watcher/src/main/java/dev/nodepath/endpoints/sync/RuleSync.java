package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the rules of one family in sync. A partial sync computes the rules of changed Services; its cost is
 * proportional to them. A full sync computes all rules: at the start, after a failure, after a change that affects all
 * rules, and where the mode's rules ask for it after other programs have changed them.
 *
 * @param <O> see {@link RuleWriter}
 * @param <C> see {@link RuleWriter}
 * @param <S> see {@link RuleWriter}
 */
final class RuleSync<O, C, S> {
    /** The interval between looks for changes by others under steady change. Each periodic sync looks, too. */
    static final Duration LOOK_INTERVAL = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(RuleSync.class);

    private final RuleWriter<O, C, S> rules;
    private final InstantSource clock;

    /** The context of the rules in force. Null before the first sync and after a failure. */
    private @Nullable C context;

    private ServiceSnapshot inForce = ServiceSnapshot.EMPTY;
    private Instant lastLook = Instant.MIN;
    private final ReasonLog<String> refusals;
    private Optional<String> advised = Optional.empty();
    private long fullSyncs;
    private long partialSyncs;
    private long fullFailures;
    private long partialFailures;
    private Duration lastFull = Duration.ZERO;
    private Duration lastPartial = Duration.ZERO;
    private volatile RuleSyncStats<S> stats;

    /** Does not know yet which rules are in force. */
    RuleSync(RuleWriter<O, C, S> rules, InstantSource clock) {
        this.rules = rules;
        this.clock = clock;
        this.refusals = ReasonLog.ofRefusals(LOG, rules.family());
        this.stats = RuleSyncStats.none(rules.size());
    }

    IpFamily family() {
        return rules.family();
    }

    /** For any thread. */
    RuleSyncStats<S> stats() {
        return stats;
    }

    /**
     * Brings the rules of a snapshot into force.
     *
     * @throws IOException if that failed. The next call makes a full sync, also after any other exception
     */
    void sync(ServiceSnapshot desired, ChangeSet changed, O options) throws IOException {
        try {
            bringIntoForce(desired, changed, options);
            inForce = desired;
        } catch (IOException e) {
            context = null;
            publish();
            throw explained(e);
        } catch (RuntimeException e) {
            context = null;
            publish();
            throw e;
        }
        refusals.report(publish());
    }

    private IOException explained(IOException failure) {
        return advised.map(advice -> new IOException("kernel: " + advice + ": " + failure.getMessage(), failure))
                .orElse(failure);
    }

    private void bringIntoForce(ServiceSnapshot desired, ChangeSet changed, O options) throws IOException {
        Instant start = clock.instant();
        if (context == null || !rules.tidy() || (changed.isEmpty() && !isInForce(desired))) {
            full(desired, options, start);
            return;
        }
        C now = rules.context(desired, changed.servicePorts(), options);
        boolean due = changed.isEmpty() || !start.isBefore(lastLook.plus(LOOK_INTERVAL));
        if (due) {
            lastLook = start;
        }
        if ((due && rules.look()) || !now.equals(context)) {
            full(desired, options, start);
            return;
        }
        if (!changed.servicePorts().isEmpty()) {
            partial(desired, changed, now, options, start);
        }
        if (due) {
            retryRefused(desired, options, start);
        }
    }

    /** A periodic sync passes the same object. Comparing values would cost time proportional to the cluster. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isInForce(ServiceSnapshot desired) {
        return desired == inForce;
    }

    private void partial(ServiceSnapshot desired, ChangeSet changed, C now, O options, Instant start)
            throws IOException {
        context = null;
        try {
            rules.update(desired, now, changed.servicePorts());
        } catch (IOException e) {
            partialFailures++;
            warn("rules.partial_sync_failed", e);
            full(desired, options, start);
            return;
        }
        context = now;
        partialSyncs++;
        lastPartial = Duration.between(start, clock.instant());
    }

    private void retryRefused(ServiceSnapshot desired, O options, Instant start) throws IOException {
        C known = context;
        context = null;
        try {
            rules.retryRefused();
        } catch (IOException e) {
            warn("rules.retry_failed", e);
            full(desired, options, start);
            return;
        }
        context = known;
    }

    private void full(ServiceSnapshot desired, O options, Instant start) throws IOException {
        context = null;
        try {
            C now = rules.context(desired, options);
            lastLook = start;
            rules.replace(desired, now);
            context = now;
            fullSyncs++;
        } catch (IOException | RuntimeException e) {
            fullFailures++;
            throw e;
        } finally {
            lastFull = Duration.between(start, clock.instant());
        }
    }

    private void warn(String event, IOException e) {
        LOG.atWarn()
                .addKeyValue("family", family())
                .addKeyValue("error", e.getMessage())
                .log(event);
    }

    /** Publishes the rules in force. Returns the refused parts. */
    private SortedMap<String, String> publish() {
        if (rules.repairs() > stats.repairs()) {
            LOG.atWarn().addKeyValue("family", family()).log("rules.repaired");
        }
        Optional<String> advice = rules.advice();
        if (!advice.equals(advised)) {
            advised = advice;
            advice.ifPresent(lacks -> LOG.atWarn()
                    .addKeyValue("family", family())
                    .addKeyValue("kernel", lacks)
                    .log("rules.kernel_lacks"));
        }
        SortedMap<String, String> refused = rules.refused();
        stats = new RuleSyncStats<>(
                fullSyncs,
                partialSyncs,
                fullFailures,
                partialFailures,
                rules.repairs(),
                lastFull,
                lastPartial,
                context == null ? stats.lastSync() : Optional.of(clock.instant()),
                refused.size(),
                rules.size());
        return refused;
    }
}
