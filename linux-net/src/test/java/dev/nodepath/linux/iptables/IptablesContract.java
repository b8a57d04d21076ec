package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The contract of every {@link Iptables}; the real commands and the fake run the same cases, each on empty tables.
 */
abstract class IptablesContract {

    abstract Iptables iptables();

    private List<String> rules(String chain) throws IptablesException {
        return SavedTable.parse(iptables().save(Table.NAT)).rules(chain);
    }

    private Set<String> userChains() throws IptablesException {
        return SavedTable.parse(iptables().save(Table.NAT)).userChains();
    }

    private void nat(String... lines) throws IptablesException {
        iptables().restore("*nat\n" + String.join("\n", lines) + "\nCOMMIT\n");
    }

    @Test
    void listsNoChainOfOursInAnEmptyTable() throws IptablesException {
        assertThat(userChains()).isEmpty();
    }

    @Test
    void makesChainsAndRules() throws IptablesException {
        nat(":B - [0:0]", ":A - [0:0]", "-A A -p tcp -m tcp --dport 80 -j B", "-A A -j RETURN", "-A PREROUTING -j A");
        assertThat(rules("A")).containsExactly("-p tcp -m tcp --dport 80 -j B", "-j RETURN");
        assertThat(rules("PREROUTING")).containsExactly("-j A");
        assertThat(SavedTable.parse(iptables().save(Table.NAT)).builtins())
                .containsExactlyInAnyOrder("PREROUTING", "INPUT", "OUTPUT", "POSTROUTING");
    }

    @Test
    void declaringAChainAgainEmptiesItAndLeavesOthers() throws IptablesException {
        nat(":A - [0:0]", ":B - [0:0]", "-A A -j ACCEPT", "-A B -j ACCEPT");
        nat(":A - [0:0]", "-A A -j RETURN");
        assertThat(rules("A")).containsExactly("-j RETURN");
        assertThat(rules("B")).containsExactly("-j ACCEPT");
    }

    @Test
    void insertsAtAPosition() throws IptablesException {
        nat(":A - [0:0]", "-A A -j ACCEPT", "-I A 1 -j RETURN", "-I A 2 -p udp -j RETURN", "-I A -p tcp -j RETURN");
        assertThat(rules("A")).containsExactly("-p tcp -j RETURN", "-j RETURN", "-p udp -j RETURN", "-j ACCEPT");
    }

    @Test
    void deletesTheFirstEqualRule() throws IptablesException {
        nat(":A - [0:0]", "-A A -p udp -j RETURN", "-A A -p tcp -j RETURN", "-A A -p udp -j RETURN");
        nat("-D A -p udp -j RETURN");
        assertThat(rules("A")).containsExactly("-p tcp -j RETURN", "-p udp -j RETURN");
    }

    @Test
    void dropsChainsThatReferToEachOtherOnceTheyAreEmptied() throws IptablesException {
        nat(":A - [0:0]", ":B - [0:0]", "-A A -j B", "-A OUTPUT -j A");
        nat(":A - [0:0]", ":B - [0:0]", "-D OUTPUT -j A", "-X B", "-X A");
        assertThat(userChains()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\u0000',
            value = {
                "-A A -j NOWHERE",
                "-A NOWHERE -j ACCEPT",
                "-F NOWHERE",
                "-X NOWHERE",
                "-X A",
                "-X B",
                "-D A -j RETURN",
                "-D NOWHERE -j RETURN",
                "-I A 3 -j RETURN",
                ":KUBE-SVC-0123456789ABCDEFGHIJKLM - [0:0]",
                "nonsense",
            })
    void refusesALineAndThenChangesNothing(String line) throws IptablesException {
        nat(":A - [0:0]", ":B - [0:0]", "-A A -j B");
        assertThatThrownBy(() -> nat(":C - [0:0]", line, "-A C -j ACCEPT"))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("line 3 is \"" + line + "\"");
        assertThat(userChains()).containsExactlyInAnyOrder("A", "B");
        assertThat(rules("A")).containsExactly("-j B");
    }

    @Test
    void refusesALoop() throws IptablesException {
        nat(":A - [0:0]", ":B - [0:0]", "-A A -j B");
        assertThatThrownBy(() -> nat("-A OUTPUT -j A", "-A B -j A")).isInstanceOf(IptablesException.class);
        assertThat(rules("B")).isEmpty();
    }

    @Test
    void refusesATextThatIsCutOff() {
        assertThatThrownBy(() -> iptables().restore("*nat\n:A - [0:0]\n"))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("COMMIT expected");
    }

    @Test
    void keepsTheTablesBeforeTheOneThatIsRefused() throws IptablesException {
        assertThatThrownBy(() -> iptables().restore("""
                        *filter
                        :A - [0:0]
                        COMMIT
                        *nat
                        :A - [0:0]
                        -A NOWHERE -j ACCEPT
                        COMMIT
                        """))
                .isInstanceOf(IptablesException.class)
                .hasMessageContaining("-A NOWHERE");
        assertThat(SavedTable.parse(iptables().save(Table.FILTER)).userChains()).containsExactly("A");
        assertThat(userChains()).isEmpty();
    }
}
