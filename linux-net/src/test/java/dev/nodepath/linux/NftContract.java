package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chains and rules of nf_tables. */
interface NftContract extends ContractFixture {
    NftChain BASE =
            new NftChain(new NftTable(NftFamily.INET, "np_test"), "net-a", Optional.of(NftChain.Hook.POSTROUTING_NAT));
    NftChain FRAMES = new NftChain(
            new NftTable(NftFamily.BRIDGE, "np_frames"), "PREROUTING", Optional.of(NftChain.Hook.BRIDGE_PREROUTING));
    NftChain SUB = new NftChain(new NftTable(NftFamily.BRIDGE, "np_frames"), "sub", Optional.empty());

    @Test
    default void makesRulesAndListsThemByComment() throws Exception {
        assertThat(near().nftRules(BASE)).isEmpty();
        assertThat(near().hasNftTable(BASE.table())).isFalse();
        assertThat(near().isNftTableInForce(BASE.table())).isFalse();
        near().nftApply(List.of(
                new NftChange.AddTable(BASE.table()),
                new NftChange.AddChain(BASE),
                new NftChange.FlushChain(BASE),
                new NftChange.AddRule(BASE, masquerade("10.1.2.0/24")),
                new NftChange.AddRule(BASE, masquerade("fd00::/64"))));
        assertThat(near().hasNftTable(BASE.table())).isTrue();
        assertThat(near().isNftTableInForce(BASE.table())).isTrue();
        assertThat(far().hasNftTable(BASE.table())).isFalse();
        assertThat(near().nftRules(BASE))
                .extracting(NftListedRule::comment)
                .containsExactly("10.1.2.0/24", "fd00::/64");
        assertThat(far().nftRules(BASE)).isEmpty();

        near().nftApply(List.of(new NftChange.AddTable(BASE.table()), new NftChange.AddChain(BASE)));
        near().nftApply(List.of(
                new NftChange.DeleteRule(BASE, near().nftRules(BASE).get(0).handle())));
        assertThat(near().nftRules(BASE)).extracting(NftListedRule::comment).containsExactly("fd00::/64");
        near().nftApply(List.of(new NftChange.FlushChain(BASE), new NftChange.DeleteChain(BASE)));
        assertThat(near().nftRules(BASE)).isEmpty();
        assertRefused(Errno.ENOENT, () -> near().nftApply(List.of(new NftChange.DeleteChain(BASE))));
    }

    @Test
    default void makesAllChangesOrNone() throws Exception {
        near().nftApply(List.of(
                new NftChange.AddTable(BASE.table()),
                new NftChange.AddChain(BASE),
                new NftChange.AddRule(BASE, masquerade("10.0.0.0/8"))));
        assertRefused(
                Errno.ENOENT,
                () -> near().nftApply(List.of(new NftChange.FlushChain(BASE), new NftChange.DeleteRule(BASE, 999))));
        assertRefused(
                Errno.ENOENT,
                () -> near().nftApply(List.of(new NftChange.DeleteRule(BASE, 999), new NftChange.FlushChain(BASE))));
        assertThat(near().nftRules(BASE)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"10.1.2.3/32, 10.1.2.3", "fd00::3/128, fd00::3", "10.1.2.0/24, ", "0.0.0.0/1, "})
    default void tellsFromWhichAddressARuleJumps(String network, @Nullable String address) throws Exception {
        NftChain sub = new NftChain(BASE.table(), "sub", Optional.empty());
        NftRule jump = new NftRule(List.of(NftStatement.sourceIn(Cidr.parse(network)), NftVerdict.jump("sub")), "");
        near().nftApply(List.of(
                new NftChange.AddTable(BASE.table()),
                new NftChange.AddChain(BASE),
                new NftChange.AddChain(sub),
                new NftChange.AddRule(BASE, jump)));
        assertThat(near().nftJumps(BASE))
                .extracting(NftJump::source)
                .containsExactly(Optional.ofNullable(address).map(IpAddress::parse));
    }

    /** The refusals of so many changes do not fit the queue of a socket. */
    @Test
    default void tellsWhyItRefusesThousandsOfChanges() throws Exception {
        List<NftChange> changes = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            changes.add(new NftChange.AddRule(BASE, masquerade("10." + i / 250 + "." + i % 250 + ".0/24")));
        }
        assertRefused(Errno.ENOENT, () -> near().nftApply(changes));
        changes.addAll(0, List.of(new NftChange.AddTable(BASE.table()), new NftChange.AddChain(BASE)));
        near().nftApply(changes);
        assertThat(near().nftRules(BASE)).hasSize(3000);
    }

    @Test
    default void leadsFramesThroughChains() throws Exception {
        MacAddress mac = MacAddress.parse("02:00:00:00:00:01");
        NftRule jump =
                new NftRule(List.of(new NftStatement.InputInterface("veth0"), NftVerdict.jump("sub")), "from veth0");
        assertRefused(
                Errno.ENOENT,
                () -> near().nftApply(List.of(
                        new NftChange.AddTable(FRAMES.table()),
                        new NftChange.AddChain(FRAMES),
                        new NftChange.AddRule(FRAMES, jump))));
        near().nftApply(List.of(
                new NftChange.AddTable(FRAMES.table()),
                new NftChange.AddChain(FRAMES),
                new NftChange.AddChain(SUB),
                new NftChange.AddRule(
                        SUB, new NftRule(List.of(new NftStatement.EtherSource(mac), NftVerdict.RETURN), "mac")),
                new NftChange.AddRule(SUB, new NftRule(List.of(NftVerdict.DROP), "")),
                new NftChange.AddRule(FRAMES, jump)));
        assertThat(near().nftRules(SUB)).extracting(NftListedRule::comment).containsExactly("mac", "");
        assertThat(near().nftJumps(FRAMES))
                .containsExactly(
                        new NftJump(near().nftRules(FRAMES).get(0).handle(), "sub", "from veth0", Optional.empty()));
        assertThat(near().nftJumps(SUB)).isEmpty();
        assertRefused(
                Errno.EBUSY,
                () -> near().nftApply(List.of(new NftChange.FlushChain(SUB), new NftChange.DeleteChain(SUB))));
        assertThat(near().nftRules(SUB)).hasSize(2);
    }

    @Test
    default void listsTheElementsOfASet() throws Exception {
        NftSet ports =
                new NftSet(FRAMES.table(), "ports", List.of(NftDatatype.IFNAME), List.of(NftDatatype.VERDICT), "");
        NftElement one = new NftElement(NftValue.ofLink("veth0"), Optional.of(NftVerdict.to("sub")), "of a pod");
        NftElement other = NftElement.of(NftValue.ofLink("veth1"), NftVerdict.DROP);
        assertThat(near().nftElements(ports)).isEmpty();
        near().nftApply(List.of(new NftChange.AddTable(FRAMES.table())));
        assertThat(near().nftElements(ports)).isEmpty();
        near().nftApply(List.of(
                new NftChange.AddChain(SUB),
                new NftChange.AddSet(ports),
                new NftChange.AddElements(ports, List.of(one, other))));
        assertThat(near().nftElements(ports)).containsExactlyInAnyOrder(one, other);
        assertThat(far().nftElements(ports)).isEmpty();
        near().nftApply(List.of(new NftChange.DeleteElements(ports, List.of(one.key()))));
        assertThat(near().nftElements(ports)).containsExactly(other);
    }

    @Test
    default void removesATableWithAllThatIsInIt() throws Exception {
        NftRule jump = new NftRule(List.of(NftVerdict.jump("sub")), "jump");
        near().nftApply(List.of(
                new NftChange.AddTable(FRAMES.table()),
                new NftChange.AddChain(FRAMES),
                new NftChange.AddChain(SUB),
                new NftChange.AddRule(FRAMES, jump),
                new NftChange.AddTable(BASE.table()),
                new NftChange.AddChain(BASE),
                new NftChange.AddRule(BASE, masquerade("10.0.0.0/8"))));
        near().nftApply(List.of(new NftChange.DeleteTable(FRAMES.table())));
        assertThat(near().nftRules(FRAMES)).isEmpty();
        assertThat(near().nftRules(BASE)).hasSize(1);
        assertRefused(Errno.ENOENT, () -> near().nftApply(List.of(new NftChange.DeleteTable(FRAMES.table()))));
        assertRefused(Errno.ENOENT, () -> near().nftApply(List.of(new NftChange.FlushChain(SUB))));
    }

    private static NftRule masquerade(String network) {
        Cidr cidr = Cidr.parse(network);
        return new NftRule(
                List.of(
                        NftStatement.sourceIn(cidr),
                        NftStatement.destinationNotIn(cidr),
                        new NftStatement.Masquerade()),
                network);
    }
}
