package dev.nodepath.linux.iptables;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A text for {@code iptables-restore --noflush}. Tables come in the order of {@link Table}; one without a change is
 * left out. It is generated while it is read. So a command can start early, and a large text is never in memory as a
 * whole.
 */
public final class RestoreText {
    private static final OwnedChains NONE = new OwnedChains(Set.of(), Set.of());

    /** Fewer chains than this are generated faster by one thread. */
    private static final int CHAINS_ALONE_MAX = 100;

    private final List<TableChange> parts;

    private RestoreText(List<TableChange> parts) {
        this.parts = parts;
    }

    /** The text of a whole rule set, for tables without its chains and hooks. */
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
        return of(changes, Integer.MAX_VALUE).toString();
    }

    /** The text of these changes. Each table is split into parts that name at most this many chains. */
    static RestoreText of(List<TableChange> changes, int chainsPerPart) {
        return new RestoreText(changes.stream()
                .filter(change -> !change.isEmpty())
                .flatMap(change -> change.parts(chainsPerPart).stream())
                .toList());
    }

    /** Whether nothing changes. */
    boolean isEmpty() {
        return parts.isEmpty();
    }

    /** How many transactions it is: each part ends in a COMMIT. */
    int commits() {
        return parts.size();
    }

    /** The pieces of the text. Each is made when it is requested. */
    Stream<String> pieces() {
        return parts.stream().flatMap(TableChange::text);
    }

    /** The whole text. All processors generate a large part. */
    @Override
    public String toString() {
        // Joined in one copy: 10 000 Services are 32 MB.
        return String.join("", parts.stream().flatMap(RestoreText::made).toList());
    }

    private static Stream<String> made(TableChange part) {
        boolean large = part.written().size() > CHAINS_ALONE_MAX;
        return (large ? part.text().parallel() : part.text()).toList().stream();
    }
}
