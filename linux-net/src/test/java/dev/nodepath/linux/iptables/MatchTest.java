package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MatchTest {
    @ParameterizedTest
    @ValueSource(strings = {"a\" -j ACCEPT", "a\n-F INPUT", "a\\", "\u0000"})
    void refusesACommentThatWouldBeMoreThanOne(String text) {
        assertThatThrownBy(() -> new Match.Comment(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("comment: ");
    }

    @Test
    void limitsTheLengthOfAComment() {
        assertThat(new Match.Comment("x".repeat(256)).text()).hasSize(256);
        assertThatThrownBy(() -> new Match.Comment("x".repeat(257))).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 0.5000000000",
        "3, 0.3333333333",
        "2048, 0.0004882812",
        "100000, 0.0000100000",
        "100001, 0.0000099999"
    })
    void printsProbabilitiesAsKubeProxyDoes(int n, String probability) {
        assertThat(Match.Probability.oneOf(n).probability()).isEqualTo(probability);
    }

    @Test
    void printsWhatSessionAffinityNeeds() {
        assertThat(rule(new Match.RecentlySeen("KUBE-SEP-A", 600)))
                .hasToString("-m recent --name KUBE-SEP-A --rcheck --seconds 600 --reap");
        assertThat(rule(new Match.RememberSource("KUBE-SEP-A"))).hasToString("-m recent --name KUBE-SEP-A --set");
    }

    @Test
    void printsWhereAPacketComesFrom() {
        assertThat(rule(new Match.SourceLocal())).hasToString("-m addrtype --src-type LOCAL");
        assertThat(rule(new Match.InputInterface("veth+", true))).hasToString("! -i veth+");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "a\"", "a\nb", "longer-than-15-ch"})
    void refusesWhatIsNoInterface(String name) {
        assertThatThrownBy(() -> new Match.InputInterface(name, false)).hasMessageStartingWith("interface: ");
    }

    @Test
    void aRuleWithoutATargetEndsInItsMatches() {
        assertThat(Rule.of(new Target.Nothing(), new Match.Comment("a"))).hasToString("-m comment --comment \"a\"");
    }

    private static Rule rule(Match match) {
        return Rule.of(new Target.Nothing(), match);
    }
}
