package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** Reads a table with its content: chains, sets, the elements of each set, then rules. */
final class NftTableReader {
    private static final int DUMPS_MAX = 20;
    private static final long PAUSE_NANOS = 1_000_000;

    private final NftTable table;
    private final Kernel kernel;
    private final Map<String, NftChain> chains = new LinkedHashMap<>();
    private final Map<String, List<NftRule>> rules = new HashMap<>();
    private final Map<String, NftTableState.Elements> sets = new HashMap<>();
    private final Map<String, NftSetContent> anonymous = new HashMap<>();

    private NftTableReader(NftTable table, Kernel kernel) {
        this.table = table;
        this.kernel = kernel;
    }

    /** Sends requests to the kernel and returns its answers. */
    interface Kernel {
        List<NetlinkMessage> ask(String operation, NetlinkRequest request) throws LinuxNetException;
    }

    /** The table; empty if there is none. The parts may belong to different generations. */
    static Optional<NftTableState> read(NftTable table, Kernel kernel) throws LinuxNetException {
        return new NftTableReader(table, kernel).read();
    }

    private Optional<NftTableState> read() throws LinuxNetException {
        Optional<NetlinkAttributes> found = readTable();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        readChains();
        readSets();
        readRules();
        Map<String, NftTableState.Chain> content = new HashMap<>();
        chains.forEach((name, chain) ->
                content.put(name, new NftTableState.Chain(chain, rules.getOrDefault(name, List.of()))));
        return Optional.of(new NftTableState(
                table,
                comment(found.get(), NftMessages.TABLE_USERDATA),
                isDormant(found.get()),
                new TreeMap<>(content),
                new TreeMap<>(sets)));
    }

    /** Whether a program has made the table of an answer dormant. */
    static boolean isDormant(NetlinkMessage table) {
        return isDormant(attributes(table));
    }

    private static boolean isDormant(NetlinkAttributes table) {
        return (table.networkNumber(NftMessages.TABLE_FLAGS) & NftMessages.FLAG_DORMANT) != 0;
    }

    private Optional<NetlinkAttributes> readTable() throws LinuxNetException {
        try {
            List<NetlinkMessage> answer = kernel.ask("read nf_tables table " + table, NftQueries.table(table));
            return answer.stream().findFirst().map(NftTableReader::attributes);
        } catch (LinuxNetException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void readChains() throws LinuxNetException {
        for (NetlinkMessage message : kernel.ask("list chains of table " + table, NftQueries.chains(table))) {
            NetlinkAttributes chain = attributes(message);
            if (chain.text(NftMessages.CHAIN_TABLE).equals(table.name())) {
                String name = chain.text(NftMessages.CHAIN_NAME);
                chains.put(name, new NftChain(table, name, hook(chain), comment(chain, NftMessages.CHAIN_USERDATA)));
            }
        }
    }

    private static Optional<NftChain.Hook> hook(NetlinkAttributes chain) {
        if (!chain.has(NftMessages.CHAIN_HOOK)) {
            return Optional.empty();
        }
        NetlinkAttributes hook = chain.nested(NftMessages.CHAIN_HOOK);
        return Optional.of(new NftChain.Hook(
                chain.text(NftMessages.CHAIN_TYPE),
                hook.networkNumber(NftMessages.HOOK_NUMBER),
                hook.networkNumber(NftMessages.HOOK_PRIORITY),
                chain.networkNumber(NftMessages.CHAIN_POLICY) == NftMessages.POLICY_DROP));
    }

    private void readSets() throws LinuxNetException {
        List<NetlinkAttributes> listed = new ArrayList<>();
        for (NetlinkMessage message : kernel.ask("list sets of table " + table, NftQueries.sets(table))) {
            listed.add(attributes(message));
        }
        for (NetlinkAttributes attributes : listed) {
            String name = attributes.text(NftMessages.SET_NAME);
            int flags = attributes.networkNumber(NftMessages.SET_FLAGS);
            boolean interval = (flags & NftMessages.FLAG_INTERVAL) != 0;
            if ((flags & NftMessages.FLAG_ANONYMOUS) != 0) {
                anonymous.put(name, new NftSetContent(interval, elements(name)));
            } else {
                Optional<NftSetContent> content = NftSetReader.isOfRanges(attributes)
                        ? Optional.of(new NftSetContent(interval, elements(name)))
                        : Optional.empty();
                NftSet set = NftSetReader.read(table, attributes, content);
                boolean withoutElements = content.isPresent() || set.isDynamic();
                sets.put(
                        name,
                        new NftTableState.Elements(
                                set, withoutElements ? Map.of() : elementsByKey(table, name, kernel)));
            }
        }
    }

    private List<NftSetContent.Entry> elements(String set) throws LinuxNetException {
        return elements(table, set, kernel);
    }

    private static List<NftSetContent.Entry> elements(NftTable table, String set, Kernel kernel)
            throws LinuxNetException {
        return NftElementReader.read(kernel.ask("list elements of set " + set, NftQueries.elements(table, set)));
    }

    /**
     * The elements of a set by key. The kernel resizes the hash table of a set in the background. A dump that goes on
     * while it does misses some elements, and has others twice instead ({@code nft_rhash_walk}); it is repeated then.
     */
    static Map<NftValue, NftElement> elementsByKey(NftTable table, String set, Kernel kernel) throws LinuxNetException {
        for (int attempt = 1; attempt <= DUMPS_MAX; attempt++) {
            List<NftSetContent.Entry> entries = elements(table, set, kernel);
            Map<NftValue, NftElement> elements = new HashMap<>();
            entries.forEach(entry -> elements.put(entry.element().key(), entry.element()));
            if (elements.size() == entries.size()) {
                return elements;
            }
            LockSupport.parkNanos(attempt * PAUSE_NANOS);
        }
        throw new LinuxNetException(
                "list elements of set " + set,
                Errno.EAGAIN.number(),
                "some were listed twice in each of " + DUMPS_MAX + " readings");
    }

    private void readRules() throws LinuxNetException {
        for (NetlinkMessage message : kernel.ask("list rules of table " + table, NftQueries.rules(table))) {
            NetlinkAttributes rule = attributes(message);
            if (rule.text(NftMessages.RULE_TABLE).equals(table.name())) {
                List<NftStatement> statements = NftStatementReader.read(
                        table.family(), anonymous, NftExpression.all(rule.nested(NftMessages.RULE_EXPRESSIONS)));
                rules.computeIfAbsent(rule.text(NftMessages.RULE_CHAIN), chain -> new ArrayList<>())
                        .add(new NftRule(statements, comment(rule, NftMessages.RULE_USERDATA)));
            }
        }
    }

    private static NetlinkAttributes attributes(NetlinkMessage message) {
        return message.attributes(NftMessages.NFGENMSG_BYTES);
    }

    private static String comment(NetlinkAttributes attributes, int type) {
        return NftUserData.comment(attributes.bytes(type));
    }
}
