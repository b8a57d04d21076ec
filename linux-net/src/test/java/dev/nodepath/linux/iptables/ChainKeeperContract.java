package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The results of one kept chain, with tables in memory and in a kernel. */
abstract class ChainKeeperContract {
    private static final Hook HOOK = new Hook(
            Table.FILTER, "FORWARD", Hook.Position.LAST, Rule.of(new Target.Jump("KEPT"), new Match.Comment("kept")));

    /** The commands that the keeper has. */
    abstract Iptables iptables() throws Exception;

    /** Changes tables as another program does. */
    abstract void restoreByOther(String text) throws Exception;

    static List<Rule> rules(String network) {
        return List.of(
                Rule.of(Target.Verdict.ACCEPT, new Match.Source(Cidr.parse(network), false)),
                Rule.of(Target.Verdict.ACCEPT, new Match.Destination(Cidr.parse(network), false)));
    }

    private SavedTable filter() throws Exception {
        return SavedTable.parse(iptables().save(Table.FILTER));
    }

    private void assertKept(String network) throws Exception {
        assertThat(filter().rules("KEPT"))
                .containsExactly("-s " + network + " -j ACCEPT", "-d " + network + " -j ACCEPT");
        assertThat(filter().rules("FORWARD"))
                .filteredOn(rule -> rule.contains("KEPT"))
                .hasSize(1);
    }

    @Test
    void comesLastAndStandsOnce() throws Exception {
        restoreByOther("*filter\n:OTHER - [0:0]\n-A FORWARD -j OTHER\nCOMMIT\n");
        ChainKeeper keeper = new ChainKeeper(iptables(), HOOK);
        assertThat(keeper.ensure(rules("10.1.0.0/24"))).isTrue();
        assertThat(keeper.ensure(rules("10.1.0.0/24"))).isFalse();
        assertThat(new ChainKeeper(iptables(), HOOK).ensure(rules("10.1.0.0/24")))
                .as("another process")
                .isFalse();
        assertKept("10.1.0.0/24");
        assertThat(filter().rules("FORWARD")).hasSize(2).last().asString().endsWith("-j KEPT");

        assertThat(keeper.ensure(rules("10.2.0.0/24"))).isTrue();
        assertKept("10.2.0.0/24");
    }

    @Test
    void comesBackWhateverOthersDo() throws Exception {
        ChainKeeper keeper = new ChainKeeper(iptables(), HOOK);
        assertThat(keeper.ensure(rules("10.1.0.0/24"))).isTrue();
        for (String change : List.of(
                "-F FORWARD",
                "-F KEPT",
                "-F FORWARD\n-F KEPT\n-X KEPT",
                "-A FORWARD -j KEPT",
                "-I KEPT 1 -s 10.1.0.9/32 -j DROP")) {
            restoreByOther("*filter\n" + change + "\nCOMMIT\n");
            assertThat(keeper.ensure(rules("10.1.0.0/24"))).as(change).isTrue();
            assertKept("10.1.0.0/24");
        }
    }

    @Test
    void isRemovedWithoutATrace() throws Exception {
        restoreByOther("*filter\n:OTHER - [0:0]\n-A FORWARD -j OTHER\nCOMMIT\n");
        ChainKeeper keeper = new ChainKeeper(iptables(), HOOK);
        keeper.remove();
        keeper.ensure(rules("10.1.0.0/24"));
        keeper.remove();
        assertThat(filter().userChains()).containsExactly("OTHER");
        assertThat(filter().rules("FORWARD")).containsExactly("-j OTHER");
        assertThat(keeper.ensure(rules("10.1.0.0/24"))).isTrue();
        assertKept("10.1.0.0/24");
    }
}
