package dev.nodepath.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.PathAnswers;
import dev.nodepath.report.SampleReport;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerRowsTest {
    private static final AnswerRows ROWS = new AnswerRows(
            List.of(
                    answers("direct", "a pod", "10.244.1.4"),
                    answers("direct", "outside", "172.30.0.100"),
                    answers("iptables", "a pod", "10.244.1.4"),
                    answers("iptables", "outside", "10.244.1.1"),
                    answers("userspace", "a pod", "10.244.1.1"),
                    answers("userspace", "outside", "10.244.1.1")),
            Palette.of(SampleReport.create()));

    @Test
    void saysOnWhichPathsAModeKeepsTheSendersAddress() {
        assertThat(ROWS.sentence("iptables"))
                .isEqualTo("shows the backend the sender's own address from a pod. It shows another from outside.");
        assertThat(ROWS.sentence("userspace"))
                .isEqualTo("shows the backend another address than the sender's on every path.");
        assertThat(ROWS.sentence("direct")).isEqualTo("shows the backend the sender's own address on every path.");
    }

    @Test
    void marksEachSourceThatIsNotTheSenders() {
        assertThat(ROWS.render().split("not the sender's", -1)).hasSize(4);
    }

    private static PathAnswers answers(String contender, String path, String source) {
        return new PathAnswers(contender, path, Map.of("web-1", 20), Map.of(source, 20));
    }
}
