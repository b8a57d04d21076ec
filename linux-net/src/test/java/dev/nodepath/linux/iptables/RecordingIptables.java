package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.List;

/** Notes the commands. */
public final class RecordingIptables extends DelegatingIptables {
    private final List<String> restored = new ArrayList<>();
    private int saves;

    /** Commands of which none has run yet. */
    public RecordingIptables(Iptables iptables) {
        super(iptables);
    }

    /** The texts that were restored since the last {@link #forget}, whether they were accepted or not. */
    public List<String> restored() {
        return List.copyOf(restored);
    }

    /** How often tables were listed since then. */
    public int saves() {
        return saves;
    }

    /** Forgets the commands so far. */
    public void forget() {
        restored.clear();
        saves = 0;
    }

    @Override
    public String save() throws IptablesException {
        saves++;
        return super.save();
    }

    @Override
    public String save(Table table) throws IptablesException {
        saves++;
        return super.save(table);
    }

    @Override
    public void restore(String text) throws IptablesException {
        restored.add(text);
        super.restore(text);
    }
}
