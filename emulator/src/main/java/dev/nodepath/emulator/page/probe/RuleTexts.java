package dev.nodepath.emulator.page.probe;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.linux.nftables.text.NftText;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The texts of a node's rules by their handles, read when they are first asked for. */
final class RuleTexts implements AutoCloseable {
    private static final Set<String> OF_IPTABLES = Set.of("raw", "mangle", "nat", "filter", "security");

    private static final int READINGS_MAX = 3;

    private final NetworkNamespace namespace;
    private final NftTables tables;
    private final Map<NftChain, Map<Long, String>> chains = new HashMap<>();
    private final Map<NftTable, Optional<NftTableState>> states = new HashMap<>();
    private final Map<IpFamily, Map<String, List<String>>> saved = new HashMap<>();

    private RuleTexts(NetworkNamespace namespace, NftTables tables) {
        this.namespace = namespace;
        this.tables = tables;
    }

    static RuleTexts open(NetworkNamespace namespace, KernelLinuxNet net) throws LinuxNetException {
        return new RuleTexts(namespace, namespace.call(net::nftTables));
    }

    /** Whether a table is one that {@code iptables} keeps. */
    static boolean isOfIptables(NftTable table) {
        boolean ip = table.toString().startsWith("ip ") || table.toString().startsWith("ip6 ");
        return ip && OF_IPTABLES.contains(table.name());
    }

    /** The text of a rule, without its chain; says so if there is no such rule any more. */
    String of(NftTable table, String chain, long handle) throws LinuxNetException {
        NftChain key = new NftChain(table, chain, Optional.empty());
        Map<Long, String> texts = chains.get(key);
        if (texts == null) {
            texts = read(key);
            chains.put(key, texts);
        }
        return texts.getOrDefault(handle, "a rule that is gone (handle " + handle + ")");
    }

    /** Both readings of a chain have its rules in their order; one has the handles, the other the texts. */
    private Map<Long, String> read(NftChain chain) throws LinuxNetException {
        List<NftListedRule> rules = namespace.nftRules(chain);
        List<String> lines = lines(chain);
        for (int i = 0; i < READINGS_MAX && rules.size() != lines.size(); i++) {
            // The chain has changed between the two.
            states.clear();
            saved.clear();
            rules = namespace.nftRules(chain);
            lines = lines(chain);
        }
        Map<Long, String> texts = new HashMap<>();
        for (int i = 0; i < rules.size() && rules.size() == lines.size(); i++) {
            texts.put(rules.get(i).handle(), lines.get(i));
        }
        return texts;
    }

    private List<String> lines(NftChain chain) throws LinuxNetException {
        return isOfIptables(chain.table()) ? saved(chain) : listed(chain);
    }

    private List<String> listed(NftChain chain) throws LinuxNetException {
        NftTable table = chain.table();
        Optional<NftTableState> state = states.get(table);
        if (state == null) {
            state = tables.read(table);
            states.put(table, state);
        }
        List<NftRule> rules = state.map(each -> each.chains().get(chain.name()))
                .map(NftTableState.Chain::rules)
                .orElse(List.of());
        return rules.stream().map(rule -> NftText.rule(table.family(), rule)).toList();
    }

    private List<String> saved(NftChain chain) throws LinuxNetException {
        IpFamily family = chain.table().toString().startsWith("ip6") ? IpFamily.IPV6 : IpFamily.IPV4;
        Map<String, List<String>> rules = saved.get(family);
        if (rules == null) {
            rules = save(family);
            saved.put(family, rules);
        }
        return rules.getOrDefault(chain.table().name() + " " + chain.name(), List.of());
    }

    /**
     * The rules that the variant on nf_tables has, by table and chain. A process is born in the namespace of its
     * thread.
     */
    private Map<String, List<String>> save(IpFamily family) throws LinuxNetException {
        List<String> command = List.of(family == IpFamily.IPV4 ? "iptables-nft-save" : "ip6tables-nft-save");
        return namespace.call(() -> {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
                return rules(output.lines().toList());
            }
        });
    }

    /** Reads what {@code iptables-save} has printed. */
    static Map<String, List<String>> rules(List<String> lines) {
        Map<String, List<String>> rules = new HashMap<>();
        String table = "";
        for (String line : lines) {
            if (line.startsWith("*")) {
                table = line.substring(1);
            } else if (line.startsWith("-A ")) {
                String[] words = line.split(" ", 3);
                rules.computeIfAbsent(table + " " + words[1], key -> new ArrayList<>())
                        .add(words.length > 2 ? words[2] : "");
            }
        }
        return rules;
    }

    @Override
    public void close() {
        tables.close();
    }
}
