package dev.nodepath.emulator.page;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.ListingReader;
import dev.nodepath.linux.iptables.SavedRule;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The rules of a node's kernel by their handles; read on demand. */
final class KernelRules implements AutoCloseable {
    private static final int READINGS_MAX = 3;

    private final NetworkNamespace namespace;
    private final NftTables tables;
    private final Map<NftChain, Map<Long, KernelRule>> chains = new HashMap<>();
    private final Map<NftTable, Optional<NftTableState>> states = new HashMap<>();
    private final Map<NftFamily, Map<Table, SavedTable>> saved = new HashMap<>();

    private KernelRules(NetworkNamespace namespace, NftTables tables) {
        this.namespace = namespace;
        this.tables = tables;
    }

    /**
     * A rule in the kernel.
     *
     * @param text as the kernel's own tools list it, without its chain
     * @param effect how it rewrites or refuses a packet; else no effect
     */
    record KernelRule(String text, Effect effect) {}

    static KernelRules open(NetworkNamespace namespace, KernelLinuxNet net) throws LinuxNetException {
        return new KernelRules(namespace, namespace.call(net::nftTables));
    }

    /** The table of {@code iptables} with this name; empty for another program's table. */
    static Optional<Table> ofIptables(NftTable table) {
        boolean ip = table.family() == NftFamily.IPV4 || table.family() == NftFamily.IPV6;
        return Stream.of(Table.values())
                .filter(each -> ip && each.toString().equals(table.name()))
                .findFirst();
    }

    /** A rule; its text says so if the rule is gone. */
    KernelRule of(NftTable table, String chain, long handle) throws LinuxNetException {
        NftChain key = new NftChain(table, chain, Optional.empty());
        Map<Long, KernelRule> rules = chains.get(key);
        if (rules == null) {
            rules = read(key);
            chains.put(key, rules);
        }
        return rules.getOrDefault(
                handle, new KernelRule("a rule that is gone (handle " + handle + ")", Effect.Plain.NOTHING));
    }

    /**
     * Each chain is read twice, with the rules in the same order: one reading has the handles, the other the texts.
     */
    private Map<Long, KernelRule> read(NftChain chain) throws LinuxNetException {
        List<NftListedRule> rules = namespace.nftRules(chain);
        List<KernelRule> lines = lines(chain);
        for (int i = 0; i < READINGS_MAX && rules.size() != lines.size(); i++) {
            // The chain has changed between the two readings.
            states.clear();
            saved.clear();
            rules = namespace.nftRules(chain);
            lines = lines(chain);
        }
        Map<Long, KernelRule> found = new HashMap<>();
        for (int i = 0; i < rules.size() && rules.size() == lines.size(); i++) {
            found.put(rules.get(i).handle(), lines.get(i));
        }
        return found;
    }

    private List<KernelRule> lines(NftChain chain) throws LinuxNetException {
        Optional<Table> ofIptables = ofIptables(chain.table());
        return ofIptables.isPresent() ? saved(chain, ofIptables.get()) : listed(chain);
    }

    private List<KernelRule> listed(NftChain chain) throws LinuxNetException {
        NftTable table = chain.table();
        Optional<NftTableState> state = states.get(table);
        if (state == null) {
            state = tables.read(table);
            states.put(table, state);
        }
        List<NftRule> rules = state.map(each -> each.chains().get(chain.name()))
                .map(NftTableState.Chain::rules)
                .orElse(List.of());
        return rules.stream()
                .map(rule -> new KernelRule(NftText.rule(table.family(), rule), effect(rule)))
                .toList();
    }

    private static Effect effect(NftRule rule) {
        for (NftStatement statement : rule.statements()) {
            if (statement instanceof NftStatement.Masquerade) {
                return new Effect.NewSource(/* unmarks= */ false);
            } else if (statement instanceof NftStatement.PortOf || statement instanceof NftStatement.Dnat) {
                return new Effect.NewDestination(List.of());
            } else if (statement instanceof NftStatement.Reject) {
                return new Effect.Refuses("");
            }
        }
        return Effect.Plain.NOTHING;
    }

    private List<KernelRule> saved(NftChain chain, Table table) throws LinuxNetException {
        NftFamily family = chain.table().family();
        Map<Table, SavedTable> rules = saved.get(family);
        if (rules == null) {
            rules = save(family);
            saved.put(family, rules);
        }
        return rules.getOrDefault(table, SavedTable.EMPTY).rules(chain.name()).stream()
                .map(text -> new KernelRule(text, effect(SavedRule.target(text).orElse(""))))
                .toList();
    }

    private static Effect effect(String target) {
        return switch (target) {
            case "MASQUERADE" -> new Effect.NewSource(/* unmarks= */ false);
            case "DNAT", "REDIRECT" -> new Effect.NewDestination(List.of());
            case "REJECT" -> new Effect.Refuses("");
            default -> Effect.Plain.NOTHING;
        };
    }

    /**
     * The rules of the iptables variant on nf_tables. A new process is in the namespace of the thread that starts it.
     */
    private Map<Table, SavedTable> save(NftFamily family) throws LinuxNetException {
        return namespace.call(() -> {
            Process process = new ProcessBuilder(family == NftFamily.IPV4 ? "iptables-nft-save" : "ip6tables-nft-save")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream output = process.getInputStream()) {
                return new ListingReader(output).read();
            }
        });
    }

    @Override
    public void close() {
        tables.close();
    }
}
