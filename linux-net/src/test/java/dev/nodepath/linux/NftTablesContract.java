package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All that {@link NftTables} promises. The fake and the kernel pass the same cases. */
interface NftTablesContract {
    NftTable TABLE = new NftTable(NftFamily.IPV4, "t");
    NftChain BASE = new NftChain(TABLE, "base", Optional.of(NftChain.Hook.of("filter", "input", 0)), "a comment");
    NftChain OTHER = new NftChain(TABLE, "other", Optional.empty());
    NftSet ADDRESSES = new NftSet(TABLE, "addresses", List.of(NftDatatype.IPV4_ADDR), List.of(), "all of them");
    NftSet VERDICTS = new NftSet(TABLE, "verdicts", List.of(NftDatatype.IPV4_ADDR), List.of(NftDatatype.VERDICT), "");
    NftValue ONE = NftValue.of(IpAddress.parse("10.0.0.1"));
    NftValue TWO = NftValue.of(IpAddress.parse("10.0.0.2"));
    NftRule JUMP = new NftRule(List.of(NftVerdict.jump("other")), "jump");
    NftRule LOOKUP = new NftRule(List.of(new NftStatement.VerdictOf(List.of(NftField.SOURCE_ADDRESS), "verdicts")), "");

    NftTables tables();

    @Test
    default void readsWhatItWrote() throws Exception {
        assertThat(tables().read(TABLE)).isEmpty();
        tables().apply(prepared()
                .add(addition(ADDRESSES, NftElement.of(ONE)))
                .add(addition(VERDICTS, new NftElement(TWO, Optional.of(NftVerdict.to("other")), "an element")))
                .add(new NftChange.AddRule(BASE, JUMP))
                .add(new NftChange.AddRule(BASE, LOOKUP)));
        NftTableState state = tables().read(TABLE).orElseThrow();
        assertThat(state.comment()).isEqualTo("the table");
        assertThat(state.chains())
                .isEqualTo(Map.of(
                        "base", new NftTableState.Chain(BASE, List.of(JUMP, LOOKUP)),
                        "other", new NftTableState.Chain(OTHER, List.of())));
        assertThat(state.sets().get("addresses"))
                .isEqualTo(new NftTableState.Elements(ADDRESSES, Map.of(ONE, NftElement.of(ONE))));
        assertThat(element("verdicts", TWO).comment()).isEqualTo("an element");
        assertThat(tables().read(new NftTable(NftFamily.IPV6, "t"))).isEmpty();

        tables().apply(NftTransaction.of(List.of(
                new NftChange.FlushChain(BASE),
                new NftChange.FlushSet(VERDICTS),
                new NftChange.DeleteElements(ADDRESSES, List.of(ONE)))));
        assertThat(rules("base")).isEmpty();
        assertThat(state().sets().values())
                .allSatisfy(set -> assertThat(set.elements()).isEmpty());
        tables().apply(NftTransaction.of(List.of(
                new NftChange.DeleteChain(OTHER),
                new NftChange.DeleteSet(ADDRESSES),
                new NftChange.DeleteSet(VERDICTS))));
        assertThat(state().chains()).containsOnlyKeys("base");
        assertThat(state().sets()).isEmpty();
        tables().apply(NftTransaction.of(List.of(new NftChange.DeleteTable(TABLE))));
        assertThat(tables().read(TABLE)).isEmpty();
    }

    @Test
    default void takesWhatIsThereAgain() throws Exception {
        for (int time = 0; time < 2; time++) {
            tables().apply(prepared().add(addition(VERDICTS, NftElement.of(ONE, NftVerdict.to("other")))));
        }
        assertThat(elements("verdicts")).hasSize(1);
    }

    @Test
    default void countsTransactions() throws Exception {
        int before = tables().generation();
        tables().apply(prepared());
        assertThat(tables().generation()).isEqualTo(before + 1);
        refused(prepared().add(new NftChange.DeleteChain(new NftChain(TABLE, "none", Optional.empty()))));
        assertThat(tables().generation()).isEqualTo(before + 1);
    }

    @Test
    default void triesATransactionWithoutAChange() throws Exception {
        tables().apply(prepared());
        int before = tables().generation();
        NftTransaction trial =
                NftTransaction.of(List.of(addition(ADDRESSES, NftElement.of(ONE)), new NftChange.AddRule(BASE, JUMP)));
        tables().check(trial);
        assertThat(elements("addresses")).isEmpty();
        assertThat(rules("base")).isEmpty();
        assertThat(tables().generation()).isEqualTo(before);

        NftTransaction bad = NftTransaction.of(List.of(
                new NftChange.AddRule(BASE, JUMP),
                new NftChange.DeleteChain(new NftChain(TABLE, "none", Optional.empty()))));
        NftRefusedException refusal = catchThrowableOfType(NftRefusedException.class, () -> tables().check(bad));
        assertThat(refusal.changes()).containsOnlyKeys(1);

        tables().apply(trial);
        assertThat(elements("addresses")).containsOnlyKeys(ONE);
        assertThat(rules("base")).containsExactly(JUMP);
    }

    @Test
    default void refusesATransactionForAnotherGeneration() throws Exception {
        int before = tables().generation();
        tables().apply(prepared());
        NftTransaction outdated = new NftTransaction(OptionalInt.of(before)).add(new NftChange.DeleteTable(TABLE));
        NftRefusedException refusal = refused(outdated);
        assertThat(refusal.isOutdated()).isTrue();
        assertThat(refusal.changes()).isEmpty();
        assertThat(tables().read(TABLE)).isPresent();
        tables().apply(new NftTransaction(OptionalInt.of(tables().generation())).add(new NftChange.DeleteTable(TABLE)));
        assertThat(tables().read(TABLE)).isEmpty();
    }

    @Test
    default void namesEveryRefusedChangeAndMakesNone() throws Exception {
        NftTransaction bad = prepared();
        int first = bad.changes().size();
        bad.add(new NftChange.AddRule(new NftChain(TABLE, "none", Optional.empty()), JUMP))
                .add(addition(ADDRESSES, NftElement.of(ONE)))
                .add(new NftChange.DeleteElements(ADDRESSES, List.of(TWO)))
                .add(new NftChange.AddRule(BASE, JUMP));
        NftRefusedException refusal = refused(bad);
        assertThat(refusal.errno()).isEqualTo(Errno.ENOENT);
        assertThat(refusal.isOutdated()).isFalse();
        assertThat(refusal.changes()).containsOnlyKeys(first, first + 2);
        assertThat(refusal.changes().get(first)).contains("ENOENT");
        assertThat(tables().read(TABLE)).isEmpty();
    }

    @Test
    default void keepsAChainThatSomethingLeadsTo() throws Exception {
        tables().apply(prepared().add(addition(VERDICTS, NftElement.of(ONE, NftVerdict.to("other")))));
        refused(Errno.EBUSY, new NftChange.DeleteChain(OTHER));
        tables().apply(NftTransaction.of(
                List.of(new NftChange.DeleteElements(VERDICTS, List.of(ONE)), new NftChange.DeleteChain(OTHER))));

        tables().apply(prepared().add(new NftChange.AddRule(BASE, JUMP)));
        refused(Errno.EBUSY, new NftChange.DeleteChain(OTHER));
        tables().apply(NftTransaction.of(List.of(new NftChange.FlushChain(BASE), new NftChange.DeleteChain(OTHER))));

        NftRule choice = new NftRule(List.of(new NftStatement.RandomVerdict(List.of(NftVerdict.to("other")))), "");
        tables().apply(prepared().add(new NftChange.AddRule(BASE, choice)));
        refused(Errno.EBUSY, new NftChange.DeleteChain(OTHER));
        tables().apply(NftTransaction.of(List.of(new NftChange.FlushChain(BASE), new NftChange.DeleteChain(OTHER))));
        assertThat(state().chains()).containsOnlyKeys("base");
    }

    @Test
    default void removesAChainWithItsRules() throws Exception {
        NftChain third = new NftChain(TABLE, "third", Optional.empty());
        tables().apply(prepared().add(new NftChange.AddChain(third)).add(new NftChange.AddRule(third, JUMP)));
        tables().apply(NftTransaction.of(List.of(new NftChange.DeleteChain(third), new NftChange.DeleteChain(OTHER))));
        assertThat(state().chains()).containsOnlyKeys("base");
    }

    @Test
    default void keepsASetThatARuleUses() throws Exception {
        tables().apply(prepared().add(new NftChange.AddRule(BASE, LOOKUP)));
        refused(Errno.EBUSY, new NftChange.DeleteSet(VERDICTS));
        tables().apply(NftTransaction.of(List.of(new NftChange.FlushChain(BASE), new NftChange.DeleteSet(VERDICTS))));
        assertThat(state().sets()).containsOnlyKeys("addresses");
    }

    @Test
    default void refusesOtherDataForAKeyAndOtherKindsOfSetsAndChains() throws Exception {
        tables().apply(prepared().add(addition(VERDICTS, NftElement.of(ONE, NftVerdict.DROP))));
        refused(Errno.EEXIST, addition(VERDICTS, NftElement.of(ONE, NftVerdict.ACCEPT)));
        refused(
                Errno.EEXIST,
                new NftChange.AddSet(new NftSet(TABLE, "addresses", VERDICTS.key(), VERDICTS.data(), "")));
        NftChain elsewhere = new NftChain(TABLE, "base", Optional.of(NftChain.Hook.of("filter", "input", 1)));
        NftRefusedException refusal = refused(NftTransaction.of(List.of(new NftChange.AddChain(elsewhere))));
        // Linux 6.1 says the latter.
        assertThat(refusal.errno()).isIn(Errno.EOPNOTSUPP, Errno.EEXIST);
        tables().apply(NftTransaction.of(List.of(
                new NftChange.DeleteElements(VERDICTS, List.of(ONE)),
                addition(VERDICTS, NftElement.of(ONE, NftVerdict.ACCEPT)))));
        assertThat(element("verdicts", ONE).data()).contains(NftVerdict.ACCEPT);
    }

    @Test
    default void refusesWhatIsMissing() throws Exception {
        refused(Errno.ENOENT, new NftChange.AddChain(BASE));
        refused(Errno.ENOENT, new NftChange.DeleteTable(TABLE));
        tables().apply(prepared());
        refused(Errno.ENOENT, new NftChange.AddRule(BASE, new NftRule(List.of(NftVerdict.jump("none")), "")));
        refused(
                Errno.ENOENT,
                new NftChange.AddRule(
                        BASE,
                        new NftRule(List.of(new NftStatement.InSet(List.of(NftField.SOURCE_ADDRESS), "none")), "")));
        refused(Errno.ENOENT, addition(VERDICTS, NftElement.of(ONE, NftVerdict.to("none"))));
        refused(Errno.ENOENT, new NftChange.DeleteElements(VERDICTS, List.of(ONE)));
        refused(Errno.ENOENT, new NftChange.FlushChain(new NftChain(TABLE, "none", Optional.empty())));
        refused(Errno.ENOENT, new NftChange.DeleteRule(BASE, 999));
        refused(Errno.EINVAL, addition(VERDICTS, NftElement.of(ONE)));
    }

    @Test
    default void takesWhatIsLarge() throws Exception {
        NftChain longest = new NftChain(TABLE, "x".repeat(255), Optional.empty());
        List<NftElement> elements = IntStream.range(0, 10_000)
                .mapToObj(i ->
                        NftElement.of(NftValue.of(IpAddress.parse("10.0.0.0").plus(i)), NftVerdict.to(longest.name())))
                .toList();
        NftTransaction transaction =
                prepared().add(new NftChange.AddChain(longest)).add(new NftChange.AddElements(VERDICTS, elements));
        for (int endpoints : List.of(1, 1000, 4000)) {
            transaction.add(new NftChange.AddRule(longest, choice(endpoints)));
        }
        tables().apply(transaction);
        // As sets: to compare lists in any order takes AssertJ ten seconds here.
        assertThat(elements("verdicts")).hasSameSizeAs(elements);
        assertThat(Set.copyOf(elements("verdicts").values())).isEqualTo(Set.copyOf(elements));
        assertThat(rules(longest.name())).containsExactly(choice(1), choice(1000), choice(4000));
        tables().apply(NftTransaction.of(List.of(new NftChange.DeleteElements(
                VERDICTS, elements.stream().map(NftElement::key).toList()))));
        assertThat(elements("verdicts")).isEmpty();
    }

    @Test
    default void leavesOutWhatPacketsAdd() throws Exception {
        NftSet dynamic =
                new NftSet(TABLE, "clients", List.of(NftDatatype.IPV4_ADDR), List.of(), Duration.ofHours(1), "");
        tables().apply(prepared().add(new NftChange.AddSet(dynamic)).add(addition(dynamic, NftElement.of(ONE))));
        assertThat(state().sets().get("clients")).isEqualTo(new NftTableState.Elements(dynamic, Map.of()));
    }

    private NftTableState state() throws Exception {
        return tables().read(TABLE).orElseThrow();
    }

    private List<NftRule> rules(String chain) throws Exception {
        return Objects.requireNonNull(state().chains().get(chain)).rules();
    }

    private Map<NftValue, NftElement> elements(String set) throws Exception {
        return Objects.requireNonNull(state().sets().get(set)).elements();
    }

    private NftElement element(String set, NftValue key) throws Exception {
        return Objects.requireNonNull(elements(set).get(key));
    }

    private void refused(Errno errno, NftChange change) {
        NftRefusedException refusal = refused(NftTransaction.of(List.of(change)));
        assertThat(refusal.errno()).as("%s", change).isEqualTo(errno);
        assertThat(refusal.changes()).containsOnlyKeys(0);
    }

    private NftRefusedException refused(NftTransaction transaction) {
        NftRefusedException refusal =
                catchThrowableOfType(NftRefusedException.class, () -> tables().apply(transaction));
        assertThat(refusal).as("refusal of %s", transaction.changes()).isNotNull();
        return refusal;
    }

    private static NftTransaction prepared() {
        return NftTransaction.of(List.of(
                new NftChange.AddTable(TABLE, "the table"),
                new NftChange.AddChain(BASE),
                new NftChange.AddChain(OTHER),
                new NftChange.AddSet(ADDRESSES),
                new NftChange.AddSet(VERDICTS)));
    }

    private static NftChange addition(NftSet set, NftElement element) {
        return new NftChange.AddElements(set, List.of(element));
    }

    private static NftRule choice(int endpoints) {
        return new NftRule(
                List.of(
                        new NftStatement.Protocol(6),
                        new NftStatement.RandomDnat(IntStream.range(0, endpoints)
                                .mapToObj(i -> new NftStatement.Destination(
                                        IpAddress.parse("10.244.0.0").plus(i), 8080))
                                .toList())),
                "");
    }
}
