package dev.nodepath.linux;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.LackingKernel;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The nf_tables of one namespace in memory: their content, without effect on packets. It accepts and refuses like the
 * kernel, as far as chains, sets and elements refer to each other; the same test cases run against both.
 */
public final class FakeNftTables implements NftTables {
    private static final String OPERATION = "change nf_tables";

    private final Map<NftTable, FakeNftTable> tables = new LinkedHashMap<>();
    private final List<NftTransaction> transactions = new ArrayList<>();
    private Predicate<NftChange> refused = change -> false;
    private Errno refusal = Errno.EINVAL;
    private Set<String> lacked = Set.of();
    private final Set<NftTable> unchanged = new HashSet<>();
    private int bytesMax = Integer.MAX_VALUE;
    private boolean losesAnswer;
    private int generation = 1;
    private long lastHandle;

    /** From now on refuses changes (EINVAL) that this accepts, until it is called again. */
    public synchronized void refuse(Predicate<NftChange> changes) {
        refuse(changes, Errno.EINVAL);
    }

    /** From now on refuses changes that this accepts, until it is called again. */
    public synchronized void refuse(Predicate<NftChange> changes, Errno errno) {
        refused = changes;
        refusal = errno;
    }

    /** From now on it has no such expressions, as a kernel without their modules. */
    public synchronized void lack(Set<String> expressions) {
        lacked = Set.copyOf(expressions);
    }

    /** From now on refuses transactions that are larger. */
    public synchronized void limitTransactions(int bytes) {
        bytesMax = bytes;
    }

    /** The next transaction is done or refused, but the caller gets ENOBUFS. */
    public synchronized void loseNextAnswer() {
        losesAnswer = true;
    }

    /** Makes changes as another program does. */
    public synchronized void changeAsAnother(NftChange... changes) {
        unchanged.clear();
        SortedMap<Integer, Errno> refusals = perform(List.of(changes), change -> false);
        if (!refusals.isEmpty()) {
            throw new IllegalArgumentException("changes of another program: " + refusals);
        }
    }

    /**
     * The transactions of the namespace so far, without those of {@link #changeAsAnother}. Refused ones are left out.
     */
    public synchronized List<NftTransaction> transactions() {
        return List.copyOf(transactions);
    }

    @Override
    public synchronized int generation() {
        return generation;
    }

    /** Its counters see no packets. */
    @Override
    public synchronized Map<String, Long> countedPackets(NftTable table) {
        Map<String, Long> packets = new TreeMap<>();
        read(table)
                .ifPresent(state -> state.chains().forEach((name, chain) -> {
                    if (chain.rules().stream()
                            .anyMatch(rule -> rule.statements().contains(new NftStatement.Counter()))) {
                        packets.put(name, 0L);
                    }
                }));
        return packets;
    }

    @Override
    public synchronized Optional<NftTableState> read(NftTable table) {
        return Optional.ofNullable(tables.get(table)).map(FakeNftTable::state);
    }

    /** After a change by another program it is true for every table. */
    @Override
    public synchronized boolean mayHaveChanged(NftTable table) {
        return unchanged.add(table);
    }

    @Override
    public synchronized int transactionBytesMax() {
        return bytesMax;
    }

    @Override
    public synchronized void apply(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        if (!losesAnswer) {
            perform(transaction);
            transactions.add(transaction);
            return;
        }
        losesAnswer = false;
        try {
            perform(transaction);
            transactions.add(transaction);
        } catch (NftRefusedException e) {
            // A refusal is lost as well.
        }
        throw new LinuxNetException(OPERATION, Errno.ENOBUFS.number(), "");
    }

    @Override
    public synchronized void check(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        Map<NftTable, FakeNftTable> before = copies();
        int generationBefore = generation;
        perform(transaction);
        tables.clear();
        tables.putAll(before);
        generation = generationBefore;
    }

    private void perform(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        if (transaction.bytes() > bytesMax) {
            throw new LinuxNetException(OPERATION, Errno.EMSGSIZE.number(), "");
        }
        if (transaction.generation().orElse(generation) != generation) {
            throw new NftRefusedException("nf_tables transaction: ERESTART", Errno.ERESTART, new TreeMap<>());
        }
        Optional<NftRefusedException> lacking =
                lacked.isEmpty() ? Optional.empty() : LackingKernel.refusal(transaction, lacked);
        if (lacking.isPresent()) {
            throw lacking.get();
        }
        SortedMap<Integer, Errno> refusals = perform(transaction.changes(), refused);
        if (!refusals.isEmpty()) {
            SortedMap<Integer, String> reasons = new TreeMap<>();
            refusals.forEach((change, errno) -> reasons.put(change, errno.name()));
            int first = refusals.firstKey();
            throw new NftRefusedException(
                    transaction.changes().get(first) + ": " + reasons.get(first), first(refusals), reasons);
        }
    }

    @Override
    public void close() {}

    /** Makes the changes, all or none. */
    synchronized void change(List<NftChange> changes) throws FakeRefusal {
        SortedMap<Integer, Errno> refusals = perform(changes, refused);
        if (!refusals.isEmpty()) {
            throw new FakeRefusal(first(refusals));
        }
    }

    private static Errno first(SortedMap<Integer, Errno> refusals) {
        return refusals.values().iterator().next();
    }

    /** Makes all changes, or none and returns why: the kernel goes on after a refusal, and names them all. */
    private SortedMap<Integer, Errno> perform(List<NftChange> changes, Predicate<NftChange> refusing) {
        Map<NftTable, FakeNftTable> before = copies();
        SortedMap<Integer, Errno> refusals = new TreeMap<>();
        for (int i = 0; i < changes.size(); i++) {
            try {
                if (refusing.test(changes.get(i))) {
                    throw new FakeRefusal(refusal);
                }
                perform(changes.get(i));
            } catch (FakeRefusal refusal) {
                refusals.put(i, refusal.errno());
            }
        }
        if (refusals.isEmpty()) {
            generation += changes.isEmpty() ? 0 : 1;
        } else {
            tables.clear();
            tables.putAll(before);
        }
        return refusals;
    }

    private Map<NftTable, FakeNftTable> copies() {
        Map<NftTable, FakeNftTable> copies = new LinkedHashMap<>();
        tables.forEach((name, table) -> copies.put(name, table.copy()));
        return copies;
    }

    private void perform(NftChange change) throws FakeRefusal {
        if (change instanceof NftChange.AddTable addition) {
            tables.computeIfAbsent(addition.table(), table -> new FakeNftTable(table, addition.comment()));
        } else if (change instanceof NftChange.DeleteTable deletion) {
            table(deletion.table());
            tables.remove(deletion.table());
        } else if (change instanceof NftChange.AddChain addition) {
            table(addition.chain().table()).add(addition.chain());
        } else if (change instanceof NftChange.FlushChain flush) {
            table(flush.chain().table()).flush(flush.chain());
        } else if (change instanceof NftChange.DeleteChain deletion) {
            table(deletion.chain().table()).delete(deletion.chain());
        } else if (change instanceof NftChange.AddRule addition) {
            table(addition.chain().table()).add(addition.chain(), addition.rule(), ++lastHandle);
        } else if (change instanceof NftChange.DeleteRule deletion) {
            table(deletion.chain().table()).deleteRule(deletion.chain(), deletion.handle());
        } else {
            performOnSet(change);
        }
    }

    private void performOnSet(NftChange change) throws FakeRefusal {
        if (change instanceof NftChange.AddSet addition) {
            table(addition.set().table()).add(addition.set());
        } else if (change instanceof NftChange.DeleteSet deletion) {
            table(deletion.set().table()).delete(deletion.set());
        } else if (change instanceof NftChange.AddElements addition) {
            table(addition.set().table()).add(addition.set(), addition.elements());
        } else if (change instanceof NftChange.DeleteElements deletion) {
            table(deletion.set().table()).delete(deletion.set(), deletion.keys());
        } else if (change instanceof NftChange.FlushSet flush) {
            table(flush.set().table()).flush(flush.set());
        } else {
            throw new IllegalArgumentException("change: " + change + " (expected: one of NftChange)");
        }
    }

    private FakeNftTable table(NftTable table) throws FakeRefusal {
        FakeNftTable found = tables.get(table);
        if (found == null) {
            throw new FakeRefusal(Errno.ENOENT);
        }
        return found;
    }

    synchronized List<NftListedRule> list(NftChain chain) {
        return entries(chain).stream()
                .map(entry -> new NftListedRule(entry.handle(), entry.rule().comment()))
                .toList();
    }

    synchronized List<NftJump> jumps(NftChain chain) {
        List<NftJump> jumps = new ArrayList<>();
        for (FakeNftTable.Entry entry : entries(chain)) {
            for (NftStatement statement : entry.rule().statements()) {
                if (statement instanceof NftVerdict jump && !jump.chain().isEmpty()) {
                    jumps.add(new NftJump(
                            entry.handle(),
                            jump.chain(),
                            entry.rule().comment(),
                            source(entry.rule().statements())));
                }
            }
        }
        return jumps;
    }

    synchronized List<NftElement> elements(NftSet set) {
        FakeNftTable table = tables.get(set.table());
        return table == null ? List.of() : table.elements(set.name());
    }

    private static Optional<IpAddress> source(List<NftStatement> statements) {
        for (NftStatement statement : statements) {
            if (statement instanceof NftStatement.AddressIn match
                    && match.field() == NftField.SOURCE_ADDRESS
                    && !match.negated()) {
                IpAddress first = match.networks().get(0).address();
                return Optional.of(first).filter(address -> match.networks().equals(List.of(Cidr.single(address))));
            }
        }
        return Optional.empty();
    }

    private List<FakeNftTable.Entry> entries(NftChain chain) {
        FakeNftTable table = tables.get(chain.table());
        return table == null ? List.of() : table.rules(chain.name());
    }

    /** Each chain with its rules, by name, and each element, for comparing states. */
    synchronized String text() {
        StringBuilder text = new StringBuilder();
        tables.forEach((name, table) -> {
            table.chains().stream().sorted().forEach(chain -> {
                text.append(name).append(' ').append(chain).append('\n');
                table.rules(chain)
                        .forEach(entry -> text.append("  ")
                                .append(entry.rule().statements())
                                .append(" # ")
                                .append(entry.rule().comment())
                                .append('\n'));
            });
            table.elementLines()
                    .forEach(line -> text.append(name).append(' ').append(line).append('\n'));
        });
        return text.toString();
    }
}
