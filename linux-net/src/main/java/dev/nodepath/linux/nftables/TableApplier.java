package dev.nodepath.linux.nftables;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Brings a desired table into force, and knows the content in force. It reads the table at its start and after changes
 * by other programs, and sends only differences. A group that the kernel refuses is replaced by a substitute, if there
 * is one, else left out. The other groups are applied. One thread uses it.
 *
 * @param <O> the name of a group
 */
public final class TableApplier<O extends Comparable<? super O>> {
    /** The most refusals, and changes by other programs, that one call works around. */
    static final int ATTEMPTS_MAX = 50;

    /** A list of elements that is part of one change. A refusal does not tell which element was at fault. */
    private static final int ELEMENTS_PER_CHANGE = 10_000;

    /** An element of a verdict map takes no more: a key, the name of a chain, a comment, and its removal before. */
    private static final int ELEMENT_BYTES_MAX = 512;

    private final NftTable table;
    private final KernelTable kernel;
    private final boolean removesAtOnce;
    private final Guard guard;
    private final UnaryOperator<TableGroup> whenRefused;

    /** Whether the present changes remove chains in a transaction of their own. */
    private boolean removesNow;

    private @Nullable TableContent content;
    private @Nullable DesiredTable<O> desired;
    private int elementsPerChange = ELEMENTS_PER_CHANGE;

    /** Chains and sets to be removed later. */
    private final List<NftChange> removals = new ArrayList<>();

    private final SortedMap<O, LeftOut> leftOut = new TreeMap<>();

    /** The parts of nf_tables that the kernel was found to lack. */
    private final NavigableSet<String> missing = new TreeSet<>();

    private long repairs;

    /** Sees each table that was read, before a change of it. */
    @FunctionalInterface
    public interface Guard {
        /**
         * A table was read; empty if there is none.
         *
         * @throws LinuxNetException if it must not be changed. Its exception fails the present call.
         */
        void found(Optional<NftTableState> read) throws LinuxNetException;
    }

    /** A group that the kernel refused, and why. */
    private record LeftOut(TableGroup group, String reason) {}

    /**
     * The table is unknown at first.
     *
     * @param removesAtOnce whether a chain can be removed together with the last element that leads to it (Linux 6.2)
     */
    public TableApplier(NftTables nft, NftTable table, boolean removesAtOnce) {
        this(nft, table, removesAtOnce, read -> {});
    }

    /**
     * The table is unknown at first.
     *
     * @param whenRefused makes the substitute of a group that the kernel refuses. If the kernel refuses the substitute
     *     too, it is called with the substitute. An empty result removes the group. An unchanged result fails the call
     */
    public TableApplier(NftTables nft, NftTable table, boolean removesAtOnce, UnaryOperator<TableGroup> whenRefused) {
        this(nft, table, removesAtOnce, read -> {}, whenRefused);
    }

    /** The table is unknown at first; the guard is asked before a table that was read is changed. */
    public TableApplier(NftTables nft, NftTable table, boolean removesAtOnce, Guard guard) {
        this(nft, table, removesAtOnce, guard, group -> TableGroup.EMPTY);
    }

    private TableApplier(
            NftTables nft, NftTable table, boolean removesAtOnce, Guard guard, UnaryOperator<TableGroup> whenRefused) {
        this.table = table;
        this.kernel = new KernelTable(nft, table);
        this.removesAtOnce = removesAtOnce;
        this.guard = guard;
        this.whenRefused = whenRefused;
    }

    /**
     * Brings a whole table into force.
     *
     * @throws LinuxNetException if that failed. The next call must be this one again.
     */
    public void replace(DesiredTable<O> all) throws LinuxNetException {
        leftOut.clear();
        missing.clear();
        desired = all;
        if (content == null) {
            read();
        }
        bring(allKeys());
    }

    /**
     * Replaces some groups of the table in force; an empty one is removed.
     *
     * @throws LinuxNetException as {@link #replace}
     * @throws IllegalStateException if no table is in force
     */
    public void update(Map<O, Optional<TableGroup>> groups) throws LinuxNetException {
        boolean lacked = !leftOut.isEmpty();
        TableKeys touched = new TableKeys();
        groups.forEach((name, group) -> {
            leftOut.remove(name);
            desired().replace(name, group, touched);
        });
        // Other groups may have elements for a set that was left out.
        boolean appears =
                lacked && touched.sets().stream().anyMatch(name -> content().set(name) == null);
        bring(appears ? allKeys() : touched);
    }

    /**
     * Tries the refused groups again.
     *
     * @throws LinuxNetException as {@link #replace}
     */
    public void retryRefused() throws LinuxNetException {
        missing.clear();
        if (!leftOut.isEmpty()) {
            Map<O, Optional<TableGroup>> again = new TreeMap<>();
            leftOut.forEach((name, refused) -> again.put(name, Optional.of(refused.group())));
            update(again);
        }
    }

    /**
     * Looks whether other programs have changed the table, and repairs it. It reads the table only if the kernel has
     * announced a change of it.
     *
     * @throws LinuxNetException as {@link #replace}
     */
    public void repair() throws LinuxNetException {
        if (isChangedByOthers()) {
            bring(allKeys());
        }
    }

    /**
     * Whether other programs have changed the table; it is then read again. The table of the other family counts as
     * another program's.
     */
    private boolean isChangedByOthers() throws LinuxNetException {
        boolean changed = kernel.mayHaveChanged() && readsOther(content());
        if (changed) {
            repairs++;
        }
        return changed;
    }

    /** Removes the chains and sets that could not be removed at once. */
    public void tidy() throws LinuxNetException {
        if (removals.isEmpty()) {
            return;
        }
        List<NftChange> due = removals.stream().filter(this::isUnwanted).toList();
        removals.clear();
        if (isChangedByOthers()) {
            bring(allKeys());
        } else {
            remove(due);
        }
    }

    private void remove(List<NftChange> unwanted) throws LinuxNetException {
        try {
            kernel.send(unwanted.stream().map(List::of).toList());
        } catch (NftRefusedException e) {
            content = null;
            throw new LinuxNetException("tidy table " + table, e.errno().number(), String.valueOf(e.getMessage()), e);
        }
    }

    private boolean isUnwanted(NftChange removal) {
        return removal instanceof NftChange.DeleteChain chain
                ? desired().chain(chain.chain().name()) == null
                : desired().set(((NftChange.DeleteSet) removal).set().name()) == null;
    }

    /** The refused groups with the reason of each. */
    public SortedMap<O, String> refused() {
        SortedMap<O, String> refused = new TreeMap<>();
        leftOut.forEach((name, group) -> refused.put(name, group.reason()));
        return refused;
    }

    /** The parts of nf_tables that the kernel lacks, such as {@code expression numgen}, as told by refusals. */
    public NavigableSet<String> missing() {
        return new TreeSet<>(missing);
    }

    /** The changes sent so far. */
    public long written() {
        return kernel.written();
    }

    /** How often changes by others were repaired. */
    public long repairs() {
        return repairs;
    }

    /** The number of chains in force. */
    public int chains() {
        return content == null ? 0 : content.chainCount();
    }

    /** The number of elements in force, without those that packets have added. */
    public int elements() {
        return content == null ? 0 : content.elementCount();
    }

    /** Whether the next sync must write the whole table: at the start, and after a failure. */
    public boolean isLost() {
        return content == null || desired == null;
    }

    private DesiredTable<O> desired() {
        if (desired == null) {
            throw new IllegalStateException("no table in force");
        }
        return desired;
    }

    private TableContent content() {
        if (content == null) {
            throw new IllegalStateException("table not read");
        }
        return content;
    }

    private void read() throws LinuxNetException {
        content = null;
        // The objects to remove are read again.
        removals.clear();
        Optional<NftTableState> read = kernel.read();
        guard.found(read);
        content = new TableContent(read);
    }

    /** Reads the table again; returns whether it differs from the known content. */
    private boolean readsOther(TableContent known) throws LinuxNetException {
        read();
        return !content().isEqualTo(known);
    }

    private TableKeys allKeys() {
        TableKeys keys = new TableKeys();
        content().addKeys(keys);
        desired().addKeys(keys);
        return keys;
    }

    private void bring(TableKeys keys) throws LinuxNetException {
        TableKeys touched = keys;
        removesNow = removesAtOnce;
        elementsPerChange =
                Math.min(ELEMENTS_PER_CHANGE, Math.max(1, kernel.transactionBytesMax() / ELEMENT_BYTES_MAX));
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            if (isChangedByOthers()) {
                touched = allKeys();
            }
            TableContent before = content();
            // The content in force is unknown until everything is sent.
            content = null;
            try {
                if (isHookedElsewhere(before, touched)) {
                    before = makeAnew();
                } else {
                    send(List.of(), new TableDifference(before, desired(), touched, elementsPerChange));
                    before.take(desired(), touched);
                }
                content = before;
                kernel.watch();
                return;
            } catch (NftRefusedException e) {
                content = before;
                if (kernel.sent() > 0) {
                    touched = readsOther(before) ? allKeys() : touched;
                } else if (isChangedByOthers()) {
                    // The changes did not fit the changes of other programs.
                    touched = allKeys();
                    continue;
                }
                if (!e.isOutdated()) {
                    leaveOut(e, touched);
                }
            }
        }
        content = null;
        throw new LinuxNetException(
                "change table " + table, Errno.EAGAIN.number(), "refused " + ATTEMPTS_MAX + " times in a row");
    }

    /** The kernel cannot move a base chain to another hook. */
    private boolean isHookedElsewhere(TableContent before, TableKeys touched) {
        return touched.chains().stream()
                .anyMatch(name -> TableDifference.isHookedElsewhere(
                        before.chain(name), desired().chain(name)));
    }

    private TableContent makeAnew() throws LinuxNetException, NftRefusedException {
        TableContent empty = new TableContent(Optional.empty());
        TableKeys all = new TableKeys();
        desired().addKeys(all);
        send(List.of(new NftChange.DeleteTable(table)), new TableDifference(empty, desired(), all, elementsPerChange));
        empty.take(desired(), all);
        return empty;
    }

    private void send(List<NftChange> first, TableDifference difference) throws LinuxNetException, NftRefusedException {
        List<List<NftChange>> steps = new ArrayList<>();
        steps.add(first);
        steps.addAll(difference.steps());
        if (removesNow) {
            difference.removals().forEach(removal -> steps.add(List.of(removal)));
        }
        kernel.send(steps);
        if (!removesNow) {
            removals.addAll(difference.removals());
        }
    }

    /**
     * Leaves out the groups of the refused changes, or prepares another attempt that tells more. The first refusal is
     * the cause. Without a group of its own no group is the cause.
     */
    private void leaveOut(NftRefusedException e, TableKeys touched) throws LinuxNetException {
        missing.addAll(e.missing());
        NftChange cause = e.changes().isEmpty() ? null : kernel.last(e.changes().firstKey());
        if (removesNow && cause instanceof NftChange.DeleteChain && e.errno() == Errno.EBUSY) {
            removesNow = false;
        } else if (cause != null && !e.errno().mayPass() && !owners(cause).isEmpty()) {
            for (Map.Entry<O, String> each : refused(e, cause).entrySet()) {
                leaveOut(each.getKey(), each.getValue(), e, touched);
            }
        } else if (elementsPerChange > 1 && isOfElements(cause)) {
            elementsPerChange = 1;
        } else {
            throw failure(e);
        }
    }

    private LinuxNetException failure(NftRefusedException e) {
        content = null;
        return new LinuxNetException("change table " + table, e.errno().number(), String.valueOf(e.getMessage()), e);
    }

    /**
     * The groups of the refused changes of the same kind as the cause. Changes of other kinds often only follow from
     * them.
     */
    private SortedMap<O, String> refused(NftRefusedException e, NftChange cause) {
        SortedMap<O, String> refused = new TreeMap<>();
        e.changes().forEach((number, reason) -> {
            NftChange change = kernel.last(number);
            if (change.getClass() == cause.getClass()) {
                owners(change).forEach(owner -> refused.putIfAbsent(owner, reason));
            }
        });
        return refused;
    }

    private void leaveOut(O owner, String reason, NftRefusedException e, TableKeys touched) throws LinuxNetException {
        Optional<TableGroup> found = desired().group(owner);
        if (found.isEmpty()) {
            return;
        }
        TableGroup group = found.get();
        leftOut.putIfAbsent(owner, new LeftOut(group, reason));
        TableGroup rest = whenRefused.apply(group);
        if (rest.equals(group)) {
            throw failure(e);
        }
        desired().replace(owner, Optional.of(rest).filter(stays -> !stays.equals(TableGroup.EMPTY)), touched);
        if (!group.sets().isEmpty()) {
            // Other groups' elements go with the sets.
            content().addKeys(touched);
        }
    }

    /**
     * The groups to blame for a change; none if it is one of the frame, or has elements of several groups. A set
     * without one of its elements says something else, so all groups that have the set are to blame for it.
     */
    private List<O> owners(NftChange change) {
        if (change instanceof NftChange.AddChain addition) {
            return desired().ownersOfChain(addition.chain().name());
        } else if (change instanceof NftChange.AddRule addition) {
            return desired().ownersOfChain(addition.chain().name());
        } else if (change instanceof NftChange.AddSet addition) {
            return desired().ownersOfSet(addition.set().name());
        } else if (change instanceof NftChange.AddElements addition) {
            List<O> owners = desired().ownersOfSet(addition.set().name());
            return owners.isEmpty() && addition.elements().size() == 1
                    ? desired()
                            .ownerOfElement(new ElementKey(
                                    addition.set().name(),
                                    addition.elements().get(0).key()))
                    : owners;
        } else {
            return List.of();
        }
    }

    private static boolean isOfElements(@Nullable NftChange change) {
        return change instanceof NftChange.AddElements || change instanceof NftChange.DeleteElements;
    }
}
