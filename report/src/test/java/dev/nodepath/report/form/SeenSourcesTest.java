package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.PathAnswers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SeenSourcesTest {
    private static final List<PathAnswers> ANSWERS = List.of(
            answers("direct", "a pod", "10.244.1.4"),
            answers("direct", "outside", "172.30.0.100"),
            answers("iptables", "a pod", "10.244.1.4"),
            answers("iptables", "outside", "10.244.1.1"),
            answers("userspace", "a pod", "10.244.1.1"),
            answers("userspace", "outside", "10.244.1.1"));

    private static final SeenSources SEEN = new SeenSources(ANSWERS, Optional.of(cluster()));

    @Test
    void saysOnWhichPathsAModeKeepsTheSendersAddress() {
        assertThat(SEEN.sentence("iptables"))
                .isEqualTo("shows backends the sender's own address, except on “outside”.");
        assertThat(SEEN.sentence("userspace")).isEqualTo("hides the sender's address on every path.");
        assertThat(SEEN.sentence("direct")).isEqualTo("shows backends the sender's own address on every path.");
    }

    @Test
    void namesWhoHasAnAddressAndShowsTheAddressOfNobody() {
        assertThat(SEEN.names(ANSWERS.get(0))).isEqualTo("client-1");
        assertThat(SEEN.names(ANSWERS.get(1))).isEqualTo("172.30.0.100");
        assertThat(SEEN.names(ANSWERS.get(3))).isEqualTo("cni0 of n1");
    }

    @Test
    void anAddressWithoutANameStandsOnce() {
        String table = new SourceTable(new SeenSources(ANSWERS.subList(0, 1), Optional.empty())).render();

        assertThat(table).containsOnlyOnce("10.244.1.4").doesNotContain("<small>");
        assertThat(new SourceTable(SEEN).render()).contains("client-1</span><small>10.244.1.4</small>");
    }

    @Test
    void marksEachSourceThatIsNotTheSenders() {
        assertThat(new SourceTable(SEEN).render().split("<span>≠", -1)).hasSize(4);
        assertThat(new AnswerRows(SEEN).render().split("not the sender's", -1)).hasSize(4);
    }

    @Test
    void saysThatEveryBackendAnsweredOnlyIfItDid() {
        assertThat(SEEN.everybodyAnswered()).isEqualTo("On every path and in every mode, each of web-1 answered.");
        PathAnswers other = new PathAnswers("userspace", "outside", Map.of("web-2", 20), Map.of("10.244.1.1", 20));
        assertThat(new SeenSources(List.of(ANSWERS.get(0), other), Optional.empty()).everybodyAnswered())
                .isEmpty();
    }

    static ClusterMap cluster() {
        ClusterMap.Node node = new ClusterMap.Node(
                ClusterMap.Place.of("n1", "172.30.0.11"),
                ClusterMap.Place.of("cni0", "10.244.1.1"),
                List.of(
                        new ClusterMap.Place("client-1", "10.244.1.4", "a pod", false),
                        new ClusterMap.Place("web-1", "10.244.1.2", "", true)));
        return new ClusterMap("172.30.0.0/24", List.of(node), List.of());
    }

    private static PathAnswers answers(String contender, String path, String source) {
        return new PathAnswers(contender, path, Map.of("web-1", 20), Map.of(source, 20));
    }
}
