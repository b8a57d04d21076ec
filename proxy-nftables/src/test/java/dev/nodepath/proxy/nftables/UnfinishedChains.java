package dev.nodepath.proxy.nftables;

import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Finds places that would lose packets of an IPv4 table: verdicts to chains without rules, and missing endpoints of
 * shared maps.
 */
final class UnfinishedChains {
    /** The key of {@code service-ips}: address, protocol, port, each in 4 bytes. */
    private static final int PROTOCOL_OFFSET = 4;

    private static final int PORT_OFFSET = 8;

    private final NftTableState table;
    private final List<String> found = new ArrayList<>();

    private UnfinishedChains(NftTableState table) {
        this.table = table;
    }

    /** One line for each fault that a packet can meet; none if the table is complete. */
    static List<String> of(NftTableState table) {
        UnfinishedChains chains = new UnfinishedChains(table);
        chains.walk();
        return chains.found;
    }

    /** From the base chains on, through rules and verdict maps. */
    private void walk() {
        Deque<NftTableState.Chain> due = new ArrayDeque<>(table.chains().values().stream()
                .filter(chain -> chain.chain().hook().isPresent())
                .toList());
        Set<String> seen = new HashSet<>();
        while (!due.isEmpty()) {
            for (NftRule rule : due.pop().rules()) {
                for (NftStatement statement : rule.statements()) {
                    for (String name : targets(statement)) {
                        NftTableState.Chain target = table.chains().get(name);
                        if (target == null || target.rules().isEmpty()) {
                            found.add(name + " has no rules");
                        } else if (seen.add(name)) {
                            due.add(target);
                        }
                    }
                }
            }
        }
    }

    /** The chains that a statement leads to. */
    private Set<String> targets(NftStatement statement) {
        Set<String> targets = new HashSet<>();
        if (statement instanceof NftVerdict verdict) {
            targets.add(verdict.chain());
        } else if (statement instanceof NftStatement.RandomVerdict choice) {
            choice.verdicts().forEach(verdict -> targets.add(verdict.chain()));
        } else if (statement instanceof NftStatement.VerdictOf lookup) {
            Objects.requireNonNull(table.sets().get(lookup.map()))
                    .elements()
                    .values()
                    .forEach(element -> element.data().ifPresent(data -> {
                        targets.add(((NftVerdict) data).chain());
                        checkEndpoints(lookup.map(), element, ((NftVerdict) data).chain());
                    }));
        }
        targets.remove("");
        return targets;
    }

    /** Each number that a chain of the shared maps may choose has an endpoint. */
    private void checkEndpoints(String set, NftElement element, String chain) {
        NftTableState.Chain target = table.chains().get(chain);
        if (target != null && set.equals("service-ips")) {
            target.rules().stream()
                    .filter(rule -> isOf(rule, element.key()))
                    .flatMap(rule -> rule.statements().stream())
                    .filter(NftStatement.RandomDnatOf.class::isInstance)
                    .forEach(choice -> check(element.key(), (NftStatement.RandomDnatOf) choice));
        }
    }

    private static boolean isOf(NftRule rule, NftValue key) {
        return rule.statements().get(0).equals(new NftStatement.Protocol(key.bytes()[PROTOCOL_OFFSET]));
    }

    private void check(NftValue key, NftStatement.RandomDnatOf choice) {
        NftValue address = NftValue.of(Arrays.copyOf(key.bytes(), PROTOCOL_OFFSET));
        NftValue port = NftValue.of(Arrays.copyOfRange(key.bytes(), PORT_OFFSET, key.bytes().length));
        for (int i = 0; i < choice.count(); i++) {
            NftValue endpoint = address.and(port).and(NftValue.of(i));
            NftTableState.Elements map = table.sets().get(choice.map());
            if (map == null || !map.elements().containsKey(endpoint)) {
                found.add(choice.map() + " lacks " + endpoint);
            }
        }
    }
}
