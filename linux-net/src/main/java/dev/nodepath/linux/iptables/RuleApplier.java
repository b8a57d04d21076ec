package dev.nodepath.linux.iptables;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one proxy mode's rules of one address family in force. It remembers what it last applied and sends only
 * differences; at first, and after a failure, it reads the tables and adopts what is there, without a moment in which
 * rules that stay are missing. For one thread at a time.
 */
public final class RuleApplier {
    private final Iptables iptables;
    private final OwnedChains owned;

    /** Null if the kernel's state is unknown. */
    private @Nullable RuleSet inForce;

    /**
     * An applier that knows nothing yet about what is in force.
     *
     * @param iptables the commands of the family
     * @param owned the chains that it may remove
     */
    public RuleApplier(Iptables iptables, OwnedChains owned) {
        this.iptables = iptables;
        this.owned = owned;
    }

    /**
     * Brings a rule set into force; runs no command if it is in force already.
     *
     * @throws IptablesException if that failed; each table then holds either the old rules or the new ones
     */
    public void apply(RuleSet desired) throws IptablesException {
        RuleSet before = inForce;
        inForce = null;
        // New hooks must be placed among rules of others, and those of a shared chain may be there already: look first.
        String text = before != null && before.hooks().containsAll(desired.hooks())
                ? RestoreText.difference(before, desired, owned)
                : RestoreText.adoption(read(), desired, owned);
        if (!text.isEmpty()) {
            iptables.restore(text);
        }
        inForce = desired;
    }

    /**
     * Looks at what is really in force, and if somebody else has removed or added a chain, a rule or a hook of ours, brings
     * the rule set into force anew. It lists every table, so it costs what the tables hold.
     *
     * @return whether something had to be mended
     * @throws IptablesException if that failed
     */
    public boolean repair(RuleSet desired) throws IptablesException {
        RuleSet before = inForce;
        inForce = null;
        Map<Table, SavedTable> found = read();
        boolean whole = desired.equals(before) && Drift.none(found, desired, owned);
        if (!whole) {
            iptables.restore(RestoreText.adoption(found, desired, owned));
        }
        inForce = desired;
        return !whole;
    }

    /**
     * Removes every chain and hook of the mode, whoever made them; chains shared with others stay.
     *
     * @throws IptablesException if that failed
     */
    public void remove() throws IptablesException {
        inForce = null;
        apply(RuleSet.EMPTY);
    }

    private Map<Table, SavedTable> read() throws IptablesException {
        Map<Table, SavedTable> found = new EnumMap<>(Table.class);
        for (Table table : Table.values()) {
            found.put(table, SavedTable.parse(iptables.save(table)));
        }
        return found;
    }
}
