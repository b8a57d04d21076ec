package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The iptables commands of one family over tables in memory. It knows the lines that our texts consist of, and fails as
 * {@code iptables-nft-restore} 1.8.9 does: a table's part is loaded whole or not at all, earlier tables stay loaded.
 * Matches and targets are not checked, and {@link #save} prints rules as they were written.
 */
public final class FakeIptables implements Iptables {
    private final IpFamily family;
    private final Map<Table, FakeTable> tables = new EnumMap<>(Table.class);
    private final List<String> restored = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private boolean nameless;
    private Runnable afterRestore = () -> {};
    private boolean failNext;
    private boolean watched;
    private boolean missesSome;
    private long changesByOthers;
    private int saves;

    /** Empty tables. */
    public FakeIptables(IpFamily family) {
        this.family = family;
    }

    @Override
    public IpFamily family() {
        return family;
    }

    @Override
    public IptablesVersion version() {
        return new IptablesVersion(1, 8, 9, IptablesVariant.NFT);
    }

    @Override
    public void check() {}

    @Override
    public OptionalLong changesByOthers() {
        return watched ? OptionalLong.of(changesByOthers) : OptionalLong.empty();
    }

    @Override
    public boolean seesAllChanges() {
        return watched && !missesSome;
    }

    /** From now on it reports changes by other programs: those through {@link #restoreByOther}. */
    public void watch() {
        watched = true;
    }

    /** The same, but some may be missed, as with legacy tables: those through {@link #restore}. */
    public void watchInPart() {
        watched = true;
        missesSome = true;
    }

    /** Changes tables as another program does. */
    public void restoreByOther(String text) throws IptablesException {
        changesByOthers++;
        load(text);
    }

    /** From now on every line that contains this is refused. */
    public void refuse(String words) {
        refused.add(words);
    }

    /** From now on nothing is refused. */
    public void accept() {
        refused.clear();
    }

    /** From now on it does not name refused lines, like legacy commands. */
    void nameNoLines() {
        nameless = true;
    }

    /** Called after each restore, a refused one too. */
    public void afterRestore(Runnable listener) {
        afterRestore = listener;
    }

    /** How often tables were listed. */
    public int saves() {
        return saves;
    }

    @Override
    public String save() {
        saves++;
        StringBuilder text = new StringBuilder();
        tables.values().forEach(table -> text.append(table.text()));
        return text.toString();
    }

    @Override
    public String save(Table table) {
        saves++;
        FakeTable found = tables.get(table);
        return found == null ? "" : found.text();
    }

    @Override
    public void restore(String text) throws IptablesException {
        restored.add(text);
        if (failNext) {
            failNext = false;
            throw new IptablesException("fake-restore: failed on purpose");
        }
        try {
            load(text);
        } finally {
            afterRestore.run();
        }
    }

    private void load(String text) throws IptablesException {
        List<String> lines = text.lines().toList();
        Table table = null;
        FakeTable loading = null;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            try {
                if (line.startsWith("*") && loading == null) {
                    table = table(line.substring(1));
                    loading = tables.containsKey(table) ? tables.get(table).copy() : new FakeTable(table);
                } else if (line.equals("COMMIT") && table != null && loading != null) {
                    loading.check();
                    tables.put(table, loading);
                    loading = null;
                } else if (loading != null) {
                    checkNotRefused(line);
                    loading.execute(line);
                } else {
                    throw new IllegalArgumentException("no table");
                }
            } catch (IllegalArgumentException e) {
                throw IptablesException.refusal(
                        "fake-restore: " + e.getMessage() + ": line " + (i + 1) + " is \"" + line + "\"",
                        nameless ? "" : line);
            }
        }
        if (loading != null) {
            throw new IptablesException("fake-restore: COMMIT expected at line " + (lines.size() + 1));
        }
    }

    /** Makes the next {@link #restore} fail before it changes anything. */
    public void failNext() {
        failNext = true;
    }

    /** The texts that were given to {@link #restore}, oldest first, including failed ones. */
    public List<String> restored() {
        return List.copyOf(restored);
    }

    private void checkNotRefused(String line) {
        for (String words : refused) {
            if (line.contains(words)) {
                throw new IllegalArgumentException("RULE_APPEND failed (No such file or directory)");
            }
        }
    }

    private static Table table(String name) {
        for (Table table : Table.values()) {
            if (table.toString().equals(name)) {
                return table;
            }
        }
        throw new IllegalArgumentException("table name '" + name + "' invalid");
    }
}
