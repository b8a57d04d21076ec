package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.RefusalLog;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.apply.RuleApplier;
import dev.nodepath.linux.iptables.apply.RuleTrial;
import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.Match;
import dev.nodepath.linux.iptables.rule.OwnedChains;
import dev.nodepath.linux.iptables.rule.Rule;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.RuleSet;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.iptables.rule.Target;
import dev.nodepath.linux.nfacct.PacketCounters;
import dev.nodepath.proxy.iptables.rules.Chains;
import dev.nodepath.proxy.iptables.rules.CountedPackets;
import dev.nodepath.proxy.iptables.rules.EndpointCount;
import dev.nodepath.proxy.iptables.rules.IptablesConfig;
import dev.nodepath.proxy.iptables.rules.IptablesRules;
import dev.nodepath.proxy.iptables.rules.RuleContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the rules of one family in sync. A partial sync computes the rules of changed Services; its cost is
 * proportional to them. A full sync computes all rules: at the start, after a failure, after a change that affects all
 * rules, and after other programs have changed the tables.
 */
final class FamilySync {
    /**
     * The interval between checks of the tables under steady change. Without changes each periodic sync checks them.
     */
    static final Duration LOOK_INTERVAL = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(FamilySync.class);

    private final Iptables iptables;
    private final Optional<PacketCounters> counters;
    private final RuleApplier applier;
    private final InstantSource clock;

    /** The context of the rules in force. Null before the first sync and after a failure. */
    private @Nullable RuleContext context;

    private ServiceSnapshot inForce = ServiceSnapshot.EMPTY;
    private final EndpointCount endpoints;
    private Instant lastLook = Instant.MIN;

    /** Service ports whose rules could not be computed, and why. */
    private SortedMap<String, String> unrendered = new TreeMap<>();

    private final RefusalLog<String> refusals;

    private @Nullable Boolean canCount;

    private long fullSyncs;
    private long partialSyncs;
    private long fullFailures;
    private long partialFailures;
    private long repairs;
    private Duration lastFull = Duration.ZERO;
    private Duration lastPartial = Duration.ZERO;
    private volatile FamilySyncStats stats = FamilySyncStats.NONE;

    /**
     * Does not know yet what is in force.
     *
     * @param counters the counters for the rules; empty to count nothing
     */
    FamilySync(Iptables iptables, Optional<PacketCounters> counters, InstantSource clock) {
        this.iptables = iptables;
        this.counters = counters;
        this.applier = new RuleApplier(iptables, Chains.OWNED);
        this.clock = clock;
        this.endpoints = new EndpointCount(iptables.family());
        this.refusals = new RefusalLog<>(LOG, iptables.family());
    }

    IpFamily family() {
        return iptables.family();
    }

    /** Whether tables may have these chains, see {@link RuleApplier#maySee}. */
    boolean maySee(OwnedChains others) {
        return applier.maySee(others);
    }

    /** The counts of the family's syncs. Any thread may call this. */
    FamilySyncStats stats() {
        return stats;
    }

    /**
     * Brings the rules of a snapshot into force.
     *
     * @throws IptablesException if that failed. The next call makes a full sync, also after any other exception.
     */
    void sync(ServiceSnapshot desired, ChangeSet changed, IptablesConfig config) throws IptablesException {
        try {
            bringIntoForce(desired, changed, config);
            inForce = desired;
        } catch (RuntimeException e) {
            context = null;
            throw e;
        } finally {
            publish();
        }
        refusals.report(refused());
    }

    private void bringIntoForce(ServiceSnapshot desired, ChangeSet changed, IptablesConfig config)
            throws IptablesException {
        Instant start = clock.instant();
        if (context == null || (changed.isEmpty() && !isInForce(desired))) {
            full(desired, config, start);
            return;
        }
        endpoints.update(desired, changed.servicePorts());
        RuleContext now = RuleContext.of(desired, supported(config), family(), endpoints.isLarge());
        boolean touched = isTouched(changed, start);
        if (touched || !now.equals(context)) {
            full(desired, config, start);
        } else if (!changed.servicePorts().isEmpty()) {
            partial(desired, changed, config, now, start);
        } else if (changed.isEmpty()) {
            context = null;
            applier.retryRefused();
            context = now;
        }
    }

    /** A periodic sync passes the same object. Comparing values would cost time proportional to the cluster. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isInForce(ServiceSnapshot desired) {
        return desired == inForce;
    }

    private boolean isTouched(ChangeSet changed, Instant now) {
        boolean due = changed.isEmpty() || !now.isBefore(lastLook.plus(LOOK_INTERVAL));
        if (due) {
            lastLook = now;
        }
        return due && !applier.isUntouched();
    }

    private void partial(
            ServiceSnapshot desired, ChangeSet changed, IptablesConfig config, RuleContext now, Instant start)
            throws IptablesException {
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        for (ServicePortName name : changed.servicePorts()) {
            unrendered.remove(IptablesRules.groupName(name));
            groups.put(IptablesRules.groupName(name), render(desired, now, name, unrendered));
        }
        context = null;
        try {
            applier.update(groups);
        } catch (IptablesException e) {
            partialFailures++;
            LOG.atWarn()
                    .addKeyValue("family", family())
                    .addKeyValue("error", e.getMessage())
                    .log("rules.partial_sync_failed");
            full(desired, config, start);
            return;
        }
        context = now;
        partialSyncs++;
        lastPartial = Duration.between(start, clock.instant());
    }

    /** A Service without computable rules must not block the others. */
    private static Optional<RuleGroup> render(
            ServiceSnapshot desired, RuleContext now, ServicePortName name, Map<String, String> unrendered) {
        try {
            return IptablesRules.group(desired, now, name);
        } catch (RuntimeException e) {
            unrendered.put(IptablesRules.groupName(name), e.toString());
            return Optional.empty();
        }
    }

    private SortedMap<String, String> refused() {
        SortedMap<String, String> refused = new TreeMap<>(applier.refused());
        refused.putAll(unrendered);
        return refused;
    }

    private void full(ServiceSnapshot desired, IptablesConfig config, Instant start) throws IptablesException {
        context = null;
        try {
            endpoints.recount(desired);
            RuleContext now = RuleContext.of(desired, supported(config), family(), endpoints.isLarge());
            lastLook = start;
            SortedMap<String, String> failed = new ConcurrentSkipListMap<>();
            CompletableFuture<RuleSet> rules = CompletableFuture.supplyAsync(
                    () -> IptablesRules.of(desired, now, name -> render(desired, now, name, failed)),
                    FamilySync::start);
            if (applier.repair(rules::join)) {
                repairs++;
                LOG.atWarn().addKeyValue("family", family()).log("rules.repaired");
            }
            unrendered = failed;
            context = now;
            fullSyncs++;
        } catch (IptablesException | RuntimeException e) {
            fullFailures++;
            throw e;
        } finally {
            lastFull = Duration.between(start, clock.instant());
        }
    }

    /** On a thread of its own, so that the whole common pool can help it. */
    private static void start(Runnable task) {
        Thread thread = new Thread(task, "rules");
        thread.setDaemon(true);
        thread.start();
    }

    private IptablesConfig supported(IptablesConfig config) throws IptablesException {
        boolean randomFully = config.randomFully() && iptables.version().hasRandomFully();
        return config.withRandomFully(randomFully).withCounters(config.counters() && canCount());
    }

    /** Whether the kernel has the match of the counters. It is tried once, unless a rule uses a counter already. */
    private boolean canCount() throws IptablesException {
        if (canCount == null) {
            Match match = CountedPackets.INVALID_DROPPED.match();
            canCount = (counters.isPresent() && CountedPackets.INVALID_DROPPED.isNamed(counters.get()))
                    || RuleTrial.isAccepted(iptables, Table.FILTER, Rule.of(new Target.Nothing(), match));
            if (!canCount) {
                LOG.atWarn()
                        .addKeyValue("family", family())
                        .addKeyValue("match", match)
                        .log("rules.not_counted");
            }
        }
        return canCount;
    }

    private void publish() {
        Map<Table, Integer> rules = new EnumMap<>(Table.class);
        Map<Table, Integer> written = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            rules.put(table, applier.ruleCount(table));
            written.put(table, applier.writtenCount(table));
        }
        boolean whole = context != null;
        stats = new FamilySyncStats(
                fullSyncs,
                partialSyncs,
                fullFailures,
                partialFailures,
                repairs,
                lastFull,
                lastPartial,
                whole ? Optional.of(clock.instant()) : stats.lastSync(),
                rules,
                written,
                refused().size());
    }
}
