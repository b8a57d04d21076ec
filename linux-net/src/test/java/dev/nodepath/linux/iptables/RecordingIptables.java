package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;
import java.util.List;
import java.util.OptionalLong;

/**
 * Passes on to another and notes the texts that are restored.
 *
 * @param iptables does the work
 * @param restored a mutable list that each text is added to, whether it is accepted or not
 */
public record RecordingIptables(Iptables iptables, List<String> restored) implements Iptables {
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
    public String save() throws IptablesException {
        return iptables.save();
    }

    @Override
    public String save(Table table) throws IptablesException {
        return iptables.save(table);
    }

    @Override
    public void restore(String text) throws IptablesException {
        restored.add(text);
        iptables.restore(text);
    }
}
