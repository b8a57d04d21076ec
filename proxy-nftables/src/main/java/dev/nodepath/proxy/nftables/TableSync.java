package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.RefusalLog;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.apply.DesiredTable;
import dev.nodepath.linux.nftables.apply.TableApplier;
import dev.nodepath.linux.nftables.apply.TableGroup;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.nftables.rules.NftablesConfig;
import dev.nodepath.proxy.nftables.rules.NftablesContext;
import dev.nodepath.proxy.nftables.rules.NftablesRules;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the table of one family in sync. A partial sync computes the rules of changed Services; its cost is proportional to
 * them. A full sync computes all rules: at the start, after a failure, and after a change that affects all rules.
 */
final class TableSync {
    /** The interval between looks for changes by others under steady change. Each periodic sync looks, too. */
    static final Duration LOOK_INTERVAL = Duration.ofSeconds(30);

    private static final Logger LOG = LoggerFactory.getLogger(TableSync.class);

    private final IpFamily family;
    private final TableApplier<ServicePortName> applier;
    private final InstantSource clock;
    private final SharedMapPorts sharedMapPorts;

    /** The context of the rules in force. Null before the first sync and after a failure. */
    private @Nullable NftablesContext context;

    private Instant lastLook = Instant.MIN;

    /** Service ports whose rules could not be computed, and why. */
    private final SortedMap<ServicePortName, String> unrendered = new TreeMap<>();

    private final RefusalLog<ServicePortName> refusals;
    private Optional<String> advised = Optional.empty();
    private long repairsReported;
    private long fullSyncs;
    private long partialSyncs;
    private long fullFailures;
    private long partialFailures;
    private long cleanupFailures;
    private Duration lastFull = Duration.ZERO;
    private Duration lastPartial = Duration.ZERO;
    private volatile TableSyncStats stats = TableSyncStats.NONE;

    /**
     * Does not know yet what is in force.
     *
     * @param removesAtOnce see {@link TableApplier}
     */
    TableSync(IpFamily family, NftTables nft, boolean removesAtOnce, InstantSource clock) {
        this.family = family;
        this.applier = new TableApplier<>(nft, NftablesRules.table(family), removesAtOnce);
        this.clock = clock;
        this.sharedMapPorts = new SharedMapPorts(family);
        this.refusals = new RefusalLog<>(LOG, family);
    }

    IpFamily family() {
        return family;
    }

    /** What to do about a kernel that lacks a part of nf_tables; empty if it lacks none that is known. */
    Optional<String> advice() {
        return Optional.of(applier.missing())
                .filter(missing -> !missing.isEmpty())
                .map(missing -> "no " + String.join(", no ", missing)
                        + " (expected: a kernel with it, or mode iptables or userspace)");
    }

    /** For any thread. */
    TableSyncStats stats() {
        return stats;
    }

    /**
     * Brings the rules of a snapshot into force.
     *
     * @throws LinuxNetException if that failed. The next call makes a full sync, also after any other exception.
     */
    void sync(ServiceSnapshot desired, ChangeSet changed, NftablesConfig config) throws LinuxNetException {
        try {
            bringIntoForce(desired, changed, config);
        } catch (RuntimeException e) {
            context = null;
            throw e;
        } finally {
            publish();
        }
        report();
    }

    private void bringIntoForce(ServiceSnapshot desired, ChangeSet changed, NftablesConfig config)
            throws LinuxNetException {
        Instant start = clock.instant();
        if (context == null || applier.isLost()) {
            full(desired, config, start);
            return;
        }
        tidy();
        sharedMapPorts.update(desired, changed.servicePorts());
        NftablesContext now = NftablesContext.of(desired, config, family, sharedMapPorts.areMany());
        if (applier.isLost() || !now.equals(context)) {
            full(desired, config, start);
        } else if (!changed.servicePorts().isEmpty()) {
            partial(desired, changed, config, now, start);
        }
        look(changed, desired, config);
    }

    /** The removal of unused chains must not delay new rules, so its failure only leads to a full sync. */
    private void tidy() {
        try {
            applier.tidy();
        } catch (LinuxNetException e) {
            cleanupFailures++;
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .log("rules.cleanup_failed");
        }
    }

    private void look(ChangeSet changed, ServiceSnapshot desired, NftablesConfig config) throws LinuxNetException {
        Instant now = clock.instant();
        if (!changed.isEmpty() && now.isBefore(lastLook.plus(LOOK_INTERVAL))) {
            return;
        }
        lastLook = now;
        try {
            applier.repair();
            applier.retryRefused();
        } catch (LinuxNetException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .log("rules.repair_failed");
            full(desired, config, now);
        }
    }

    private void partial(
            ServiceSnapshot desired, ChangeSet changed, NftablesConfig config, NftablesContext now, Instant start)
            throws LinuxNetException {
        Map<ServicePortName, Optional<TableGroup>> groups = new HashMap<>();
        for (ServicePortName name : changed.servicePorts()) {
            unrendered.remove(name);
            groups.put(name, render(desired, now, name));
        }
        context = null;
        try {
            applier.update(groups);
        } catch (LinuxNetException e) {
            partialFailures++;
            LOG.atWarn()
                    .addKeyValue("family", family)
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
    private Optional<TableGroup> render(ServiceSnapshot desired, NftablesContext now, ServicePortName name) {
        try {
            return NftablesRules.group(desired, now, name);
        } catch (RuntimeException e) {
            unrendered.put(name, e.toString());
            return Optional.empty();
        }
    }

    private void full(ServiceSnapshot desired, NftablesConfig config, Instant start) throws LinuxNetException {
        context = null;
        try {
            sharedMapPorts.recount(desired);
            NftablesContext now = NftablesContext.of(desired, config, family, sharedMapPorts.areMany());
            unrendered.clear();
            DesiredTable<ServicePortName> table = new DesiredTable<>(NftablesRules.frame(now));
            for (ServicePortName name : desired.services().keySet()) {
                render(desired, now, name).ifPresent(group -> table.add(name, group));
            }
            applier.replace(table);
            context = now;
            fullSyncs++;
        } catch (LinuxNetException | RuntimeException e) {
            fullFailures++;
            throw e;
        } finally {
            lastFull = Duration.between(start, clock.instant());
        }
    }

    /** Logs each refused service port once, and again with a new reason; and repairs. */
    private void report() {
        refusals.report(refused());
        if (!advice().equals(advised)) {
            advised = advice();
            advised.ifPresent(advice -> LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("kernel", advice)
                    .log("rules.kernel_lacks"));
        }
        if (applier.repairs() > repairsReported) {
            repairsReported = applier.repairs();
            LOG.atWarn().addKeyValue("family", family).log("rules.repaired");
        }
    }

    private SortedMap<ServicePortName, String> refused() {
        SortedMap<ServicePortName, String> refused = applier.refused();
        refused.putAll(unrendered);
        return refused;
    }

    private void publish() {
        boolean whole = context != null;
        stats = new TableSyncStats(
                fullSyncs,
                partialSyncs,
                fullFailures,
                partialFailures,
                cleanupFailures,
                applier.repairs(),
                lastFull,
                lastPartial,
                whole ? Optional.of(clock.instant()) : stats.lastSync(),
                applier.chains(),
                applier.elements(),
                applier.written(),
                refused().size());
    }
}
