package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The installed commands, both variants. */
@Tag("netns")
class RuleApplierNetnsTest {
    abstract static class Installed extends RuleApplierContract {
        private final IptablesNamespace namespace;

        Installed(IptablesVariant variant) throws IOException {
            namespace = IptablesNamespace.create(variant);
        }

        @AfterEach
        void delete() throws IOException {
            namespace.close();
        }

        @Override
        Iptables iptables() {
            return namespace.iptables(IpFamily.IPV4);
        }

        @Override
        Iptables others() {
            return namespace.others(IpFamily.IPV4);
        }

        /** Faults that only the kernel finds: legacy commands do not name the line then. */
        @Test
        void leavesOutTheGroupsThatTheKernelRefuses() throws IptablesException {
            OwnedChains owned = new OwnedChains(Set.of("TOP"), Set.of("OWN-"));
            RuleApplier applier = new RuleApplier(iptables(), owned);
            Map<String, RuleGroup> groups = new TreeMap<>();
            for (int i = 0; i < 9; i++) {
                boolean bad = i == 2 || i == 7;
                Target target = bad ? new Target.Dnat(IpAddress.parse("10.0.0.1"), 80) : Target.Verdict.ACCEPT;
                groups.put("group" + i, group("OWN-" + i, Rule.of(target, new Match.Protocol("tcp"))));
            }
            RuleSet rules =
                    new RuleSet(Map.of(Table.FILTER, new TreeMap<>(Map.of("TOP", List.of()))), List.of(), groups);
            applier.apply(rules);
            assertThat(applier.refused()).containsOnlyKeys("group2", "group7");
            assertThat(SavedTable.parse(iptables().save(Table.FILTER)).userChains())
                    .hasSize(8)
                    .contains("OWN-1", "OWN-8")
                    .doesNotContain("OWN-2", "OWN-7");
            assertThat(applier.repair(rules)).isFalse();
        }

        private static RuleGroup group(String chain, Rule rule) {
            Rule entry = Rule.of(new Target.Jump(chain));
            return new RuleGroup(
                    Map.of(Table.FILTER, new TreeMap<>(Map.of(chain, List.of(rule)))),
                    List.of(new RuleGroup.Entry(Table.FILTER, "TOP", entry)));
        }
    }

    @Nested
    class Nft extends Installed {
        Nft() throws IOException {
            super(IptablesVariant.NFT);
        }
    }

    @Nested
    class Legacy extends Installed {
        Legacy() throws IOException {
            super(IptablesVariant.LEGACY);
        }
    }
}
