package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SavedRuleTest {
    @Test
    void splitsWordsAndTakesQuotedOnesWhole() {
        assertThat(SavedRule.words("-m comment  --comment \"a \\\"b\\\" c\" -j X"))
                .containsExactly("-m", "comment", "--comment", "a \"b\" c", "-j", "X");
        assertThat(SavedRule.words("--comment \"\" -j X")).containsExactly("--comment", "", "-j", "X");
        assertThat(SavedRule.words("")).isEmpty();
    }

    @Test
    void findsTheTargetAndNotAWordOfAComment() {
        assertThat(SavedRule.target("-p tcp -j MARK --set-xmark 0x1/0x1")).contains("MARK");
        assertThat(SavedRule.target("-g A")).contains("A");
        assertThat(SavedRule.target("-m comment --comment \"-j B\"")).isEmpty();
    }

    @Test
    void doesNotMindTheOrderOfOptions() {
        assertThat(SavedRule.normalised("-m comment --comment word -s 10.0.0.0/8 -j A"))
                .isEqualTo(SavedRule.normalised("-s 10.0.0.0/8 -m comment --comment \"word\" -j A"))
                .isNotEqualTo(SavedRule.normalised("-d 10.0.0.0/8 -m comment --comment \"word\" -j A"));
    }
}
