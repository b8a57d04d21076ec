package dev.nodepath.linux.iptables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.LegacyTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Compares the sizes of legacy tables with the sizes after our last command. It misses the replacement of a rule by one
 * of the same length, and changes during a command of ours. So it answers "unknown" to every {@link #BLIND_AFTER}th
 * question.
 */
final class LegacyWatch implements TableWatch {
    /**
     * At a sync period of 30 s the tables are listed every five minutes, which takes 0.1 s of a processor for 86 000
     * rules.
     */
    static final int BLIND_AFTER = 10;

    private final Map<IpFamily, Family> families = new EnumMap<>(IpFamily.class);

    private LegacyWatch() {}

    private static final class Family {
        private final LegacyTables tables;
        private List<Optional<LegacyTables.Shape>> expected = List.of();
        private long changes;
        private int questions;

        Family(LegacyTables tables) {
            this.tables = tables;
        }

        List<Optional<LegacyTables.Shape>> read() throws LinuxNetException {
            List<Optional<LegacyTables.Shape>> shapes = new ArrayList<>();
            for (Table table : Table.values()) {
                shapes.add(tables.shape(table.toString()));
            }
            return shapes;
        }

        void look() throws LinuxNetException {
            List<Optional<LegacyTables.Shape>> now = read();
            if (!now.equals(expected)) {
                expected = now;
                changes++;
            }
        }
    }

    /** A kernel without IPv6 has no tables to watch there. */
    static LegacyWatch open(KernelLinuxNet kernel) throws LinuxNetException {
        LegacyWatch watch = new LegacyWatch();
        try {
            watch.families.put(IpFamily.IPV4, new Family(kernel.legacyTables(IpFamily.IPV4)));
            watch.families.put(IpFamily.IPV6, new Family(kernel.legacyTables(IpFamily.IPV6)));
        } catch (LinuxNetException e) {
            if (watch.families.isEmpty()) {
                throw e;
            }
        }
        return watch;
    }

    @Override
    public OptionalLong changesByOthers(IpFamily name) {
        Family family = families.get(name);
        if (family == null || ++family.questions % BLIND_AFTER == 0) {
            return OptionalLong.empty();
        }
        try {
            family.look();
            return OptionalLong.of(family.changes);
        } catch (LinuxNetException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public void begin(IpFamily name) {
        Family family = families.get(name);
        if (family != null) {
            try {
                family.look();
            } catch (LinuxNetException e) {
                family.changes++;
            }
        }
    }

    @Override
    public void end(IpFamily name, int commits) {
        Family family = families.get(name);
        if (family != null) {
            try {
                family.expected = family.read();
            } catch (LinuxNetException e) {
                family.changes++;
            }
        }
    }

    @Override
    public void close() {
        families.values().forEach(family -> family.tables.close());
    }
}
