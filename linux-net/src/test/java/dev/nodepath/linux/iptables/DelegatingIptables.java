package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.util.OptionalLong;

/** Passes all calls on to another; tests override the calls that they observe or break. */
public class DelegatingIptables implements Iptables {
    private final Iptables iptables;

    /** Commands that pass all calls on to these. */
    public DelegatingIptables(Iptables iptables) {
        this.iptables = iptables;
    }

    @Override
    public IpFamily family() {
        return iptables.family();
    }

    @Override
    public IptablesVersion version() throws IptablesException {
        return iptables.version();
    }

    @Override
    public void check() throws IptablesException {
        iptables.check();
    }

    @Override
    public OptionalLong changesByOthers() {
        return iptables.changesByOthers();
    }

    @Override
    public boolean seesAllChanges() {
        return iptables.seesAllChanges();
    }

    @Override
    public String save() throws IptablesException {
        return iptables.save();
    }

    @Override
    public String save(Table table) throws IptablesException {
        return iptables.save(table);
    }

    @Override
    public void restore(String text) throws IptablesException {
        iptables.restore(text);
    }
}
