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
    @CsvSource({"2, 0.5000000000", "3, 0.3333333333", "100000, 0.0000100000", "100001, 0.0000099999"})
    void printsProbabilitiesAsKubeProxyDoes(int n, String probability) {
        assertThat(Match.Probability.oneOf(n).probability()).isEqualTo(probability);
    }
}
