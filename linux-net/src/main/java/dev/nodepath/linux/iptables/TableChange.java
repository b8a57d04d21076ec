package dev.nodepath.linux.iptables;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;

/**
 * What changes in one table, to be loaded in one piece.
 *
 * @param written chains that are made or emptied, and filled with these rules
 * @param removed chains that are emptied and deleted; nothing refers to them any more once the rest is done
 * @param hookLines what happens to the kernel's own chains
 */
record TableChange(Table table, SortedMap<String, List<Rule>> written, Set<String> removed, List<String> hookLines) {

    boolean isEmpty() {
        return written.isEmpty() && removed.isEmpty() && hookLines.isEmpty();
    }

    /** Declares, and so empties, every chain before any rule: then the order of chains does not matter. */
    void appendTo(StringBuilder text) {
        text.append('*').append(table).append('\n');
        written.keySet().forEach(chain -> declare(text, chain));
        removed.forEach(chain -> declare(text, chain));
        written.forEach((chain, rules) -> rules.forEach(rule ->
                text.append("-A ").append(chain).append(' ').append(rule).append('\n')));
        hookLines.forEach(line -> text.append(line).append('\n'));
        removed.forEach(chain -> text.append("-X ").append(chain).append('\n'));
        text.append("COMMIT\n");
    }

    private static void declare(StringBuilder text, String chain) {
        text.append(':').append(chain).append(" - [0:0]\n");
    }
}
