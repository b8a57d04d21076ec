package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PartChangeTest {
    @Test
    void isEmptyForEqualPictures() {
        Picture picture = SamplePicture.small();
        Picture same =
                new Picture(picture.mode(), picture.client(), picture.nodes(), picture.pods(), picture.services());

        assertThat(PartChange.between(picture, same)).isEmpty();
    }

    @Test
    void namesWhatCameChangedAndWent() {
        PicturedPod stays = SamplePicture.pod("client-1", "n1", 0, "10.244.1.2", true);
        Picture before = SamplePicture.of(List.of(
                stays,
                SamplePicture.pod("old", "n1", 1, "10.244.1.3", true),
                SamplePicture.pod("sick", "n1", 2, "10.244.1.4", true)));
        Picture after = SamplePicture.of(List.of(
                stays,
                SamplePicture.pod("new", "n1", 1, "10.244.1.5", true),
                SamplePicture.pod("sick", "n1", 2, "10.244.1.4", false)));

        assertThat(PartChange.between(before, after))
                .filteredOn(change -> change.kind().equals("pod"))
                .extracting(PartChange::id, change -> change.part().isPresent())
                .containsExactly(tuple("old", false), tuple("new", true), tuple("sick", true));
    }

    @Test
    void tellsANodeThatIsGone() {
        assertThat(PartChange.between(SamplePicture.small(), Picture.EMPTY))
                .contains(new PartChange("node", "n1", Optional.empty()));
    }
}
