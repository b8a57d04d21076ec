package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RuleApplierTest extends RuleApplierContract {
    private static final OwnedChains OWNED = new OwnedChains(Set.of("TOP"), Set.of("OWN-"));

    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);
    private final RuleApplier subject = new RuleApplier(iptables, OWNED);

    @Override
    Iptables iptables() {
        return iptables;
    }

    @Override
    Iptables others() {
        return iptables;
    }

    private static RuleGroup group(String name, Rule rule) {
        String chain = "OWN-" + name;
        Rule entry = Rule.of(new Target.Jump(chain), new Match.Comment(name));
        return new RuleGroup(
                Map.of(Table.NAT, new TreeMap<>(Map.of(chain, List.of(rule)))),
                List.of(new RuleGroup.Entry(Table.NAT, "TOP", entry)));
    }

    private static Rule protocol(String name) {
        return Rule.of(Target.Verdict.ACCEPT, new Match.Protocol(name));
    }

    /** Makes this many healthy groups, and this many of SCTP. */
    private static Map<String, RuleGroup> groups(int tcp, int sctp) {
        Map<String, RuleGroup> groups = new TreeMap<>();
        for (int i = 0; i < tcp + sctp; i++) {
            groups.put(String.valueOf(1000 + i), group(1000 + i + "", protocol(i < tcp ? "tcp" : "sctp")));
        }
        return groups;
    }

    private static RuleSet rules(Map<String, RuleGroup> groups) {
        return new RuleSet(Map.of(Table.NAT, new TreeMap<>(Map.of("TOP", List.of()))), List.of(), groups);
    }

    @Test
    void removesWhatIsKnownWithoutAListing() throws IptablesException {
        iptables.watch();
        subject.apply(new RuleSet(
                Map.of(Table.NAT, new TreeMap<>(Map.of("TOP", List.of()))), List.of(TOP), groups(2, 0)));
        int saves = iptables.saves();
        subject.remove();
        assertThat(iptables.saves()).isEqualTo(saves);
        assertThat(iptables.save(Table.NAT)).doesNotContain("OWN-", "TOP");
    }

    @Test
    void looksBeforeItRemovesWhereItMayHaveMissedAChange() throws IptablesException {
        iptables.watchInPart();
        subject.apply(rules(groups(2, 0)));
        iptables.restore("*nat\n:OWN-LATE - [0:0]\nCOMMIT\n");
        subject.remove();
        assertThat(iptables.save(Table.NAT)).doesNotContain("OWN-", "TOP");
    }

    @Test
    void looksWhereAChainCannotBeRemoved() throws IptablesException {
        iptables.watch();
        subject.apply(rules(groups(2, 0)));
        iptables.restore("*nat\n:ALIEN - [0:0]\n-A ALIEN -g TOP\nCOMMIT\n");
        subject.remove();
        assertThat(nat().rules("TOP")).isEmpty();
        assertThat(nat().rules()).containsKeys("ALIEN", "TOP").doesNotContainKey("OWN-1000");
    }

    @Test
    void aCommentThatLooksLikeAJumpKeepsNoChain() throws IptablesException {
        nat(":OWN-1 - [0:0]", ":ALIEN - [0:0]", "-A ALIEN -m comment --comment \"as -j OWN-1 does\" -j ACCEPT");
        subject.remove();
        assertThat(nat().rules()).containsKey("ALIEN").doesNotContainKey("OWN-1");
    }

    @Test
    void aProtocolThatTheKernelLacksKeepsOutItsGroupsAlone() throws IptablesException {
        iptables.refuse("-p sctp");
        subject.apply(rules(groups(3, 2)));
        assertThat(subject.refused()).containsOnlyKeys("1003", "1004");
        assertThat(iptables.save(Table.NAT)).contains("OWN-1000", "OWN-1002").doesNotContain("OWN-1003");
    }

    @Test
    void twoRefusedGroupsDoNotTakeTheHealthyOnesOfTheirKindWithThem() throws IptablesException {
        iptables.refuse("OWN-1000 -p");
        iptables.refuse("OWN-1001 -p");
        subject.apply(rules(groups(5, 0)));
        assertThat(subject.refused()).containsOnlyKeys("1000", "1001");
    }

    @Test
    void aRefusedGroupIsTriedAgainAtEachRepair() throws IptablesException {
        iptables.watch();
        iptables.refuse("-p sctp");
        RuleSet rules = rules(groups(3, 20));
        subject.apply(rules);
        int saves = iptables.saves();
        String whole = iptables.save(Table.NAT);
        Map<String, String> reasons = subject.refused();
        assertThat(subject.repair(rules)).isFalse();
        assertThat(subject.refused()).isEqualTo(reasons).hasSize(20);
        assertThat(iptables.save(Table.NAT)).isEqualTo(whole);

        iptables.accept();
        assertThat(subject.repair(rules)).isFalse();
        assertThat(subject.refused()).isEmpty();
        assertThat(iptables.save(Table.NAT)).contains("-A OWN-1003 -p sctp", "-A OWN-1022 -p sctp");
        assertThat(iptables.saves()).as("listings, with three of this test").isEqualTo(saves + 3);
    }

    @Test
    void takesNothingOutOfTheKernelWhileItSearches() throws IptablesException {
        subject.apply(rules(groups(20, 0)));
        iptables.nameNoLines();
        iptables.refuse("-p sctp");
        Map<String, RuleGroup> next = new TreeMap<>(groups(20, 3));
        next.put("1004", group("1004", protocol("udp")));
        iptables.afterRestore(
                () -> assertThat(iptables.save(Table.NAT)).contains("-A OWN-1004 -p", "-A OWN-1007 -p tcp"));
        // As after a restart: nothing is known to be in force.
        RuleApplier restarted = new RuleApplier(iptables, OWNED);
        restarted.apply(rules(next));
        assertThat(restarted.refused()).containsOnlyKeys("1020", "1021", "1022");
        assertThat(iptables.save(Table.NAT)).contains("-A OWN-1004 -p udp");
    }

    @Test
    void leavesOutEachOfAHundredGroupsThatAreRefusedWithoutANamedLine() throws IptablesException {
        subject.apply(rules(groups(20, 0)));
        iptables.nameNoLines();
        iptables.refuse("-p sctp");
        subject.repair(rules(groups(20, 100)));
        assertThat(subject.refused()).hasSize(100).doesNotContainKey("1019");
        assertThat(iptables.save(Table.NAT)).contains("OWN-1019").doesNotContain("sctp");
        assertThat(iptables.restored()).hasSizeLessThan(110);
    }

    @Test
    void appliesAChangedGroupAmongManyRefusedOnesAfterARestart() throws IptablesException {
        subject.apply(rules(groups(20, 0)));
        iptables.nameNoLines();
        iptables.refuse("-p sctp");
        Map<String, RuleGroup> next = new TreeMap<>(groups(20, 100));
        next.put("1004", group("1004", protocol("udp")));
        RuleApplier restarted = new RuleApplier(iptables, OWNED);
        restarted.apply(rules(next));
        assertThat(restarted.refused()).hasSize(100).doesNotContainKeys("1004", "1019");
        assertThat(iptables.save(Table.NAT))
                .contains("-A OWN-1004 -p udp", "--comment \"1004\" -j OWN-1004", "OWN-1019")
                .doesNotContain("sctp", "-A OWN-1004 -p tcp");

        iptables.accept();
        next.put("1004", group("1004", protocol("icmp")));
        restarted.apply(rules(next));
        assertThat(iptables.save(Table.NAT)).contains("-A OWN-1004 -p icmp").doesNotContain("-A OWN-1004 -p udp");
    }

    @Test
    void leavesOutEachOfAHundredGroupsWhoseLinesAreNamed() throws IptablesException {
        subject.apply(rules(groups(20, 0)));
        Map<String, RuleGroup> next = new TreeMap<>(groups(20, 0));
        for (int i = 0; i < 100; i++) {
            next.put("bad" + i, group("BAD" + i, Rule.of(new Target.Jump("OWN-NONE" + i), new Match.Protocol("tcp"))));
        }
        next.put("1004", group("1004", protocol("udp")));
        subject.repair(rules(next));
        assertThat(iptables.save(Table.NAT))
                .contains("OWN-1019", "-A OWN-1004 -p udp")
                .doesNotContain("BAD");
        assertThat(subject.refused()).hasSize(100).containsKeys("bad1", "bad99");
        assertThat(iptables.restored()).hasSizeLessThan(110);
    }

    @Test
    void leavesOutWholePartsAfterAThousandRestores() throws IptablesException {
        iptables.nameNoLines();
        iptables.refuse("-p sctp");
        subject.apply(rules(groups(100, 1200)));
        assertThat(subject.refused()).hasSize(1200).doesNotContainKey("1099");
        assertThat(iptables.save(Table.NAT)).contains("OWN-1000", "OWN-1099").doesNotContain("sctp");
        assertThat(iptables.restored()).hasSizeLessThan(1030);
    }

    @Test
    void leavesOutTheRestAlsoWhenEachOfAThousandRefusedLinesIsNamed() throws IptablesException {
        iptables.refuse("-p sctp");
        subject.apply(rules(groups(100, 1200)));
        assertThat(subject.refused()).hasSizeGreaterThanOrEqualTo(1200);
        assertThat(iptables.save(Table.NAT)).doesNotContain("sctp");
        assertThat(iptables.restored()).hasSizeLessThan(1050);
    }

    @Test
    void sendsNoEntryTwiceThatATableHasTakenBeforeTheNextRefused() throws IptablesException {
        iptables.refuse("-p sctp");
        Map<String, RuleGroup> groups = new TreeMap<>();
        for (int i = 0; i < 5; i++) {
            groups.put("bad" + i, inFilterAndNat("bad" + i, "sctp"));
            groups.put("good" + i, inFilterAndNat("good" + i, "tcp"));
        }
        groups.put("worst", inFilter("worst", "sctp"));
        Map<String, List<Rule>> frame = Map.of("TOP", List.of());
        subject.apply(new RuleSet(
                Map.of(Table.FILTER, new TreeMap<>(frame), Table.NAT, new TreeMap<>(frame)), List.of(), groups));
        assertThat(subject.refused()).containsOnlyKeys("bad0", "bad1", "bad2", "bad3", "bad4", "worst");
        List<String> sent = iptables.restored().stream()
                .flatMap(String::lines)
                .filter(line -> line.startsWith("-I TOP") && line.endsWith("\"good0\" -j ACCEPT"))
                .toList();
        // Once with the group that filter refuses, and once without it.
        assertThat(sent).as(String.join("\n", iptables.restored())).hasSize(2);
    }

    /** Its chain is in nat, and another rule of it in filter, which is the earlier table. */
    private static RuleGroup inFilterAndNat(String name, String protocol) {
        RuleGroup nat = group(name, protocol(protocol));
        List<RuleGroup.Entry> entries = new ArrayList<>(nat.entries());
        entries.addAll(inFilter(name, "tcp").entries());
        return new RuleGroup(Map.of(Table.NAT, nat.chains(Table.NAT)), entries);
    }

    private static RuleGroup inFilter(String name, String protocol) {
        Rule rule = Rule.of(Target.Verdict.ACCEPT, new Match.Protocol(protocol), new Match.Comment(name));
        return new RuleGroup(Map.of(), List.of(new RuleGroup.Entry(Table.FILTER, "TOP", rule)));
    }

    @Test
    void takesBackTheTablesOfARefusedGroupThatCameBeforeTheRefusedOne() throws IptablesException {
        iptables.watch();
        iptables.refuse("-p sctp");
        RuleGroup nat = group("1", protocol("sctp"));
        RuleGroup both = new RuleGroup(
                Map.of(
                        Table.FILTER,
                        new TreeMap<>(Map.of("OWN-F", List.of(protocol("tcp")))),
                        Table.NAT,
                        nat.chains(Table.NAT)),
                nat.entries());
        RuleSet rules = rules(Map.of("both", both));
        subject.apply(rules);
        assertThat(iptables.save()).doesNotContain("OWN-");
        subject.repair(rules);
        assertThat(subject.refused()).containsOnlyKeys("both");
        assertThat(iptables.save()).doesNotContain("OWN-");

        iptables.accept();
        subject.repair(rules);
        assertThat(iptables.save()).contains("-A OWN-F -p tcp", "-A OWN-1 -p sctp");
    }
}
