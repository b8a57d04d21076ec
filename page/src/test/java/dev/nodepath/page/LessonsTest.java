package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LessonsTest {
    private static final String ASKED = "## Title\n\nWhat?\n\n- this\n- that\n\n";
    private static final String CHECK = "<!-- check\npacket a b:80\nseen: sender, node\n-->\n";

    @Test
    void theDocumentHasTenLessonsThatEndWithAnExplanation() {
        JsonNode lessons = Lessons.read(Lessons.document());

        assertThat(lessons).hasSize(10).allSatisfy(lesson -> {
            assertThat(lesson.path("title").asText()).isNotEmpty();
            assertThat(lesson.path("blocks").findValues("check")).isNotEmpty();
            JsonNode last = lesson.path("blocks").path(lesson.path("blocks").size() - 1);
            assertThat(last.path("fold")).isNotEmpty();
        });
    }

    /** Other words would never be shown or checked. */
    @Test
    void aPacketThatIsCheckedIsNamedInTheText() {
        for (JsonNode lesson : Lessons.read(Lessons.document())) {
            List<String> words = new ArrayList<>();
            lesson.path("blocks").forEach(block -> words.add(block.path("p").toString()));
            for (JsonNode check : lesson.findValues("check")) {
                if (check.path("subject").asText().equals("packet")) {
                    assertThat(words.toString())
                            .contains("{\"code\":\"" + check.at("/of/0").asText() + "\"}")
                            .contains("{\"code\":\"" + check.at("/of/1").asText() + "\"}");
                }
            }
        }
    }

    @Test
    void keepsHostileTextAsText() {
        JsonNode lessons = Lessons.read(
                "## A & <b> title\n\nText `<img src=x onerror=alert(1)>` and **\"strong\"**.\n".replace("<b>", "b"));

        assertThat(lessons)
                .hasToString(
                        "[{\"title\":\"A & b title\",\"blocks\":[{\"p\":[\"Text \","
                                + "{\"code\":\"<img src=x onerror=alert(1)>\"},\" and \",{\"strong\":[\"\\\"strong\\\"\"]},\".\"]}]}]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "Text <b>bold</b>",
                "![picture](x.png)",
                "[link](javascript:alert)",
                "1. numbered",
                "> quoted",
                "### deeper",
                "- a\n\n  b",
                "<details><summary>a<b></summary>",
                "</details>"
            })
    void refusesWhatThePageCannotShow(String markdown) {
        assertThatThrownBy(() -> Lessons.read("## Title\n\n" + markdown + "\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("lessons.md:3: ")
                .hasMessageContaining("(expected: ");
    }

    @Test
    void readsACheckWithItsQuestionAndChoices() {
        JsonNode block = Lessons.read(ASKED + CHECK).at("/0/blocks/0");

        assertThat(block)
                .hasToString("{\"choices\":[[\"this\"],[\"that\"]],\"question\":[\"What?\"],\"check\":{\"subject\":"
                        + "\"packet\",\"of\":[\"a\",\"b:80\"],\"fact\":\"seen\",\"values\":[\"sender\",\"node\"]}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "packet a b:80|seen: sender; check",
                "packet a b:80|sender, node; check",
                "packet a|seen: sender, node; check",
                "send a b:80|seen: sender, node; check",
                "packet a b:80|saw: sender, node; fact: \"saw\"",
                "packet a b:80|seen: sender, moon; value of seen: \"moon\"",
                "packet a b:80|rules: all, none; fact: \"rules\"",
                "change a better|rules: all, none; change: \"better\"",
                "packet a b:80|when pod c better|seen: sender, node; when pod: \"better\"",
                "packet a b:80|when policy c/d denies|seen: sender, node; when policy: \"denies\"",
                "change a ready|when policy c/d isolates|rules: all, none; subject of a policy: \"change\"",
                "packet a b:80|when moon c full|seen: sender, node; check",
                "packet a b:80|outcome: answered, refused, silent; check: 3 values after 2 choices"
            })
    void refusesAnUnknownWordOfACheck(String check, String message) {
        String comment = "<!-- check\n" + check.replace('|', '\n') + "\n-->\n";

        assertThatThrownBy(() -> Lessons.read(ASKED + comment))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("lessons.md:8: " + message)
                .hasMessageContaining("(expected: ");
    }
}
