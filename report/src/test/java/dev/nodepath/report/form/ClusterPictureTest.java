package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.ClusterMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterPictureTest {
    private static final String PICTURE = new ClusterPicture(SeenSourcesTest.cluster()).render();

    @Test
    void hasEachPlaceWithItsNameAndAddress() {
        assertThat(PICTURE)
                .contains(">client-1<", ">10.244.1.4<", ">web-1<", ">10.244.1.2<")
                .contains(">cni0 10.244.1.1<", ">n1 172.30.0.11<", "172.30.0.0/24");
    }

    @Test
    void marksWhoAsksWithItsPathAndWhoAnswers() {
        assertThat(PICTURE)
                .containsOnlyOnce("pod asking")
                .containsOnlyOnce("pod answers")
                .contains(">a pod<");
    }

    @Test
    void saysTheSameInWords() {
        assertThat(PICTURE)
                .contains("aria-label=\"The cluster on 172.30.0.0/24: n1 with client-1 (asks), web-1 (answers)\"");
    }

    @Test
    void longNamesAreCutInThePictureAndWholeInItsWords() {
        String name = "x".repeat(253);
        ClusterMap.Node node = new ClusterMap.Node(
                ClusterMap.Place.of(name, "1"),
                ClusterMap.Place.of("b", "2"),
                List.of(new ClusterMap.Place(name, "3", name, true)));

        String picture = new ClusterPicture(new ClusterMap("net", List.of(node), List.of())).render();

        assertThat(picture).contains(">" + "x".repeat(27) + "…<", name + " with " + name);
        assertThat(Integer.parseInt(picture.replaceFirst("(?s).*?viewBox=\"0 0 (\\d+) .*", "$1")))
                .isLessThan(400);
    }

    @Test
    void namesFromElsewhereAreText() {
        ClusterMap.Node node =
                new ClusterMap.Node(ClusterMap.Place.of("<script>", "1"), ClusterMap.Place.of("b", "2"), List.of());

        assertThat(new ClusterPicture(new ClusterMap("net", List.of(node), List.of())).render())
                .doesNotContain("<script>")
                .contains("&lt;script&gt;");
    }
}
