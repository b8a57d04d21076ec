package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.endpoints.sync.RuleWriter;
import dev.nodepath.endpoints.sync.UnrenderedPorts;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.RuleTrial;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chains of one family. Rules of endpoints have comments unless there are many endpoints. */
final class IptablesWriter implements RuleWriter<IptablesConfig, RuleContext, RuleCounts> {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesWriter.class);

    private final Iptables iptables;
    private final Optional<PacketCounters> counters;
    private final RuleApplier applier;
    private final ManyLimit endpoints;
    private UnrenderedPorts unrendered = new UnrenderedPorts();
    private @Nullable Boolean canCount;
    private long repairs;

    /**
     * Does not know yet which rules are in force.
     *
     * @param counters the counters for the rules; empty to count nothing
     */
    IptablesWriter(Iptables iptables, Optional<PacketCounters> counters) {
        this.iptables = iptables;
        this.counters = counters;
        this.applier = new RuleApplier(iptables, Chains.OWNED);
        this.endpoints = endpoints(iptables.family());
    }

    @Override
    public IpFamily family() {
        return iptables.family();
    }

    /** Whether tables may have these chains, see {@link RuleApplier#maySee}. */
    boolean maySee(OwnedChains others) {
        return applier.maySee(others);
    }

    /** Nothing is left for later. */
    @Override
    public boolean tidy() {
        return true;
    }

    @Override
    public RuleContext context(ServiceSnapshot desired, Collection<ServicePortName> changed, IptablesConfig config)
            throws IptablesException {
        endpoints.update(desired, changed);
        return RuleContext.of(desired, supported(config), family(), endpoints.isExceeded());
    }

    @Override
    public RuleContext context(ServiceSnapshot desired, IptablesConfig config) throws IptablesException {
        endpoints.recount(desired);
        return RuleContext.of(desired, supported(config), family(), endpoints.isExceeded());
    }

    /** Counts the endpoints of a family. */
    static ManyLimit endpoints(IpFamily family) {
        return new ManyLimit((snapshot, name) -> {
            ServicePort service = snapshot.services().get(name);
            return service == null || service.clusterIps(family).isEmpty()
                    ? 0
                    : snapshot.endpoints(name, family).size();
        });
    }

    /** The rules are computed while the tables are listed. */
    @Override
    public void replace(ServiceSnapshot desired, RuleContext context) throws IptablesException {
        UnrenderedPorts failed = new UnrenderedPorts();
        CompletableFuture<RuleSet> rules = CompletableFuture.supplyAsync(
                () -> IptablesRules.of(desired, context, name -> render(desired, context, name, failed)),
                IptablesWriter::start);
        if (applier.repair(rules::join)) {
            repairs++;
        }
        unrendered = failed;
    }

    /** On a thread of its own, so that the whole common pool can help it. */
    private static void start(Runnable task) {
        Thread thread = new Thread(task, "rules");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void update(ServiceSnapshot desired, RuleContext context, Collection<ServicePortName> changed)
            throws IptablesException {
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        changed.forEach(name -> groups.put(name.withProtocol(), render(desired, context, name, unrendered)));
        applier.update(groups);
    }

    private static Optional<RuleGroup> render(
            ServiceSnapshot desired, RuleContext context, ServicePortName name, UnrenderedPorts failed) {
        return failed.render(name.withProtocol(), () -> IptablesRules.group(desired, context, name));
    }

    @Override
    public boolean look() {
        return !applier.isUntouched();
    }

    @Override
    public void retryRefused() throws IptablesException {
        applier.retryRefused();
    }

    @Override
    public SortedMap<String, String> refused() {
        return unrendered.and(applier.refused());
    }

    @Override
    public long repairs() {
        return repairs;
    }

    @Override
    public RuleCounts size() {
        Map<Table, Integer> rules = new EnumMap<>(Table.class);
        Map<Table, Integer> written = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            rules.put(table, applier.ruleCount(table));
            written.put(table, applier.writtenCount(table));
        }
        return new RuleCounts(rules, written);
    }

    private IptablesConfig supported(IptablesConfig config) throws IptablesException {
        IptablesConfig.Draft supported = new IptablesConfig.Draft(config);
        supported.randomFully = config.randomFully() && iptables.version().hasRandomFully();
        supported.counters = config.counters() && canCount();
        return supported.build();
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
}
