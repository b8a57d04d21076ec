package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Texts for {@code iptables-restore --noflush}. Tables come in the order of {@link Table}; one without a change is left out. */
public final class RestoreText {
    private static final OwnedChains NONE = new OwnedChains(Set.of(), Set.of());

    private RestoreText() {}

    /** Makes the rule set whole where none of its chains and hooks is there yet. */
    public static String complete(RuleSet desired) {
        List<TableChange> changes = new ArrayList<>();
        for (Table table : Table.values()) {
            Map<String, List<Hook>> hooks = new LinkedHashMap<>();
            for (Hook hook : desired.hooks()) {
                if (hook.table() == table) {
                    hooks.computeIfAbsent(hook.builtin(), builtin -> new ArrayList<>())
                            .add(hook);
                }
            }
            List<String> lines = new ArrayList<>();
            hooks.forEach((builtin, wanted) -> lines.addAll(HookChange.lines(builtin, List.of(), wanted, NONE)));
            changes.add(new TableChange(table, desired.chains(table), lines, Set.of()));
        }
        return of(changes, Integer.MAX_VALUE);
    }

    /** The text of these changes, each table in parts that name at most so many chains; empty if nothing changes. */
    static String of(List<TableChange> changes, int chainsPerPart) {
        StringBuilder text = new StringBuilder();
        for (TableChange change : changes) {
            if (!change.isEmpty()) {
                change.parts(chainsPerPart).forEach(part -> part.appendTo(text));
            }
        }
        return text.toString();
    }
}
