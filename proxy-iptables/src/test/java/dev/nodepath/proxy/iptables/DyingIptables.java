package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.iptables.DelegatingIptables;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Table;

/**
 * Passes on to another until its life ends: its process then counts as killed. A restore counts as many steps as it
 * has parts of tables, and may end between two of them, as when the command dies with the process.
 */
final class DyingIptables extends DelegatingIptables {
    private static final String COMMIT = "COMMIT\n";

    private int stepsLeft;

    DyingIptables(Iptables iptables, int steps) {
        super(iptables);
        this.stepsLeft = steps;
    }

    /** The end of the process. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    private void step() {
        if (stepsLeft-- == 0) {
            throw new Killed();
        }
    }

    @Override
    public String save(Table table) throws IptablesException {
        step();
        return super.save(table);
    }

    @Override
    public String save() throws IptablesException {
        step();
        return super.save();
    }

    @Override
    public void restore(String text) throws IptablesException {
        for (int start = 0; start < text.length(); ) {
            int end = text.indexOf(COMMIT, start) + COMMIT.length();
            step();
            super.restore(text.substring(start, end));
            start = end;
        }
    }
}
