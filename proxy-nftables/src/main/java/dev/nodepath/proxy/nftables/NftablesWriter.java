package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.endpoints.sync.RuleWriter;
import dev.nodepath.endpoints.sync.UnrenderedPorts;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.DesiredTable;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.TableApplier;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The table of one family. Each service port with endpoints has a map of its own. Beyond a limit, plain ports share
 * maps: the kernel walks all maps of a table for each change of one.
 */
final class NftablesWriter implements RuleWriter<NftablesConfig, NftablesContext, TableSize> {
    private static final Logger LOG = LoggerFactory.getLogger(NftablesWriter.class);

    private final IpFamily family;
    private final TableApplier<ServicePortName> applier;
    private final ManyLimit maps;
    private UnrenderedPorts unrendered = new UnrenderedPorts();
    private long cleanupFailures;

    /**
     * Does not know yet which rules are in force.
     *
     * @param removesAtOnce see {@link TableApplier}
     */
    NftablesWriter(IpFamily family, NftTables nft, boolean removesAtOnce) {
        this.family = family;
        this.applier = new TableApplier<>(nft, NftablesRules.table(family), removesAtOnce);
        this.maps = maps(family);
    }

    /** Counts the maps of a family's service ports. */
    static ManyLimit maps(IpFamily family) {
        return new ManyLimit((snapshot, name) -> {
            ServicePort service = snapshot.services().get(name);
            return service == null
                            || service.clusterIps(family).isEmpty()
                            || snapshot.endpoints(name, family).isEmpty()
                    ? 0
                    : 1;
        });
    }

    @Override
    public IpFamily family() {
        return family;
    }

    /** Removes chains that nothing leads to any more. */
    @Override
    public boolean tidy() {
        if (applier.isLost()) {
            return false;
        }
        try {
            applier.tidy();
        } catch (LinuxNetException e) {
            cleanupFailures++;
            warn("rules.cleanup_failed", e);
        }
        return !applier.isLost();
    }

    @Override
    public NftablesContext context(
            ServiceSnapshot desired, Collection<ServicePortName> changed, NftablesConfig config) {
        maps.update(desired, changed);
        return NftablesContext.of(desired, config, family, maps.isExceeded());
    }

    @Override
    public NftablesContext context(ServiceSnapshot desired, NftablesConfig config) {
        maps.recount(desired);
        return NftablesContext.of(desired, config, family, maps.isExceeded());
    }

    @Override
    public void replace(ServiceSnapshot desired, NftablesContext context) throws LinuxNetException {
        unrendered = new UnrenderedPorts();
        DesiredTable<ServicePortName> table = new DesiredTable<>(NftablesRules.frame(context));
        for (ServicePortName name : desired.services().keySet()) {
            render(desired, context, name).ifPresent(group -> table.add(name, group));
        }
        applier.replace(table);
    }

    @Override
    public void update(ServiceSnapshot desired, NftablesContext context, Collection<ServicePortName> changed)
            throws LinuxNetException {
        Map<ServicePortName, Optional<TableGroup>> groups = new HashMap<>();
        changed.forEach(name -> groups.put(name, render(desired, context, name)));
        applier.update(groups);
    }

    private Optional<TableGroup> render(ServiceSnapshot desired, NftablesContext context, ServicePortName name) {
        return unrendered.render(name.withProtocol(), () -> NftablesRules.group(desired, context, name));
    }

    /** Repairs changes by other programs. */
    @Override
    public boolean look() {
        try {
            applier.repair();
            return false;
        } catch (LinuxNetException e) {
            warn("rules.repair_failed", e);
            return true;
        }
    }

    @Override
    public void retryRefused() throws LinuxNetException {
        applier.retryRefused();
    }

    @Override
    public SortedMap<String, String> refused() {
        SortedMap<String, String> refused = new TreeMap<>();
        applier.refused().forEach((name, reason) -> refused.put(name.withProtocol(), reason));
        return unrendered.and(refused);
    }

    @Override
    public long repairs() {
        return applier.repairs();
    }

    @Override
    public TableSize size() {
        return new TableSize(applier.chains(), applier.elements(), applier.written(), cleanupFailures);
    }

    @Override
    public Optional<String> advice() {
        return Optional.of(applier.missing())
                .filter(missing -> !missing.isEmpty())
                .map(missing ->
                        "no " + String.join(", no ", missing) + " (expected: a kernel with it, or mode iptables)");
    }

    private void warn(String event, LinuxNetException e) {
        LOG.atWarn()
                .addKeyValue("family", family)
                .addKeyValue("error", e.getMessage())
                .log(event);
    }
}
