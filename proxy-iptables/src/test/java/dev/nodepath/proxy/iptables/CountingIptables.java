package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVersion;
import dev.nodepath.linux.iptables.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Passes on to another and notes what is run. */
final class CountingIptables implements Iptables {
    private final Iptables iptables;
    private final List<String> restored = new ArrayList<>();
    private int saves;

    CountingIptables(Iptables iptables) {
        this.iptables = iptables;
    }

    List<String> restored() {
        return restored;
    }

    int saves() {
        return saves;
    }

    void forget() {
        restored.clear();
        saves = 0;
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
    public String save(Table table) throws IptablesException {
        saves++;
        return iptables.save(table);
    }

    @Override
    public String save() throws IptablesException {
        saves++;
        return iptables.save();
    }

    @Override
    public void restore(String text) throws IptablesException {
        restored.add(text);
        iptables.restore(text);
    }

    @Override
    public OptionalLong changesByOthers() {
        return iptables.changesByOthers();
    }
}
