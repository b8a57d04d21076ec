package dev.nodepath.proxy.nftables;

import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Finds what would lose packets of an IPv4 table: verdicts to chains without rules, and missing endpoints of shared maps. */
final class UnfinishedChains {
    /** The key of {@code service-ips}: address, protocol, port, each in 4 bytes. */
    private static final int PROTOCOL_OFFSET = 4;

    private static final int PORT_OFFSET = 8;

    private final NftTableState table;
    private final List<String> found = new ArrayList<>();

    private UnfinishedChains(NftTableState table) {
        this.table = table;
    }

    /** One line for each fault; none if the table is complete. */
    static List<String> of(NftTableState table) {
        UnfinishedChains chains = new UnfinishedChains(table);
        table.sets()
                .forEach((name, content) -> content.elements()
                        .values()
                        .forEach(element -> element.data()
                                .filter(NftVerdict.class::isInstance)
                                .ifPresent(verdict -> chains.check(name, element, ((NftVerdict) verdict).chain()))));
        return chains.found;
    }

    private void check(String set, NftElement element, String chain) {
        NftTableState.Chain target = table.chains().get(chain);
        if (!chain.isEmpty() && (target == null || target.rules().isEmpty())) {
            found.add(set + " " + element.key() + ": " + chain + " has no rules");
        } else if (target != null && set.equals("service-ips")) {
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
