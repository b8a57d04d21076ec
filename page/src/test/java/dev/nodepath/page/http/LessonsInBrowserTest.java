package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lessons as a reader takes them, with sample data. Pictures are left in {@code target/pages}. */
class LessonsInBrowserTest extends BrowserTest {

    private final LivePage page = new LivePage(InstantSource.system());

    @Override
    PageServer serve(Path folder) {
        return new PageServer(
                page,
                (name, what) -> json("probe.json"),
                () -> new FlowList(System.nanoTime(), 0, List.of()),
                SECRET,
                HttpServerCodec::new);
    }

    @BeforeEach
    void size() throws Exception {
        page.show(SamplePicture.small());
        desktop();
    }

    private void open(String where) throws Exception {
        load(where);
        await("document.querySelectorAll('.pod').length > 0");
        chromium.evaluate("localStorage.clear(); lessons.done = {}; redraw(); ''");
    }

    private void openLesson(int number) throws Exception {
        open("view=lessons&lesson=" + number);
        await("document.querySelectorAll('fieldset').length > 0");
    }

    @Test
    void saysThatAPolicyMayBeThereAndIsolateOthers() throws Exception {
        openLesson(1);
        assertThat(chromium.evaluate("lessonUnmet({kind: 'policy', name: 'a/b'}, {policies: ['a/c']})"))
                .isEqualTo("a/b isolates neither end: it is absent, or chooses other pods.");
        assertThat(chromium.evaluate("lessonUnmet({kind: 'policy', name: 'a/c'}, {policies: ['a/c']})"))
                .isEmpty();
    }

    @Test
    void aRightPredictionIsRecognizedByWhatWasObserved() throws Exception {
        open("");
        click("#as-lessons");
        await("document.querySelectorAll('.lesson-list button').length === 10");
        click(".lesson-list button");
        await("document.querySelectorAll('fieldset').length === 2");
        choose("sender");
        choose("pod");
        click("#lessons .fill");

        assertThat(chromium.evaluate("document.activeElement.id")).isEqualTo("go");
        click("#go");
        await("document.querySelectorAll('[data-judged=right]').length === 2");

        assertThat(judged())
                .isEqualTo("Right: web-1 saw 10.244.1.2.|Right: on n1, 10.96.0.20:80 became 10.244.1.3:8080.");
        click(".lesson-top button");
        await("document.querySelector('.lesson-list small').textContent === '\u2713 iptables'");
        await("document.querySelector('#live').textContent.includes('Right: web-1 saw 10.244.1.2')");
    }

    @Test
    void aWrongPredictionIsToldWhatWasObserved() throws Exception {
        openLesson(1);
        choose("node");
        click("#lessons .fill");
        click("#go");
        await("document.querySelectorAll('[data-judged=wrong]').length === 1");

        assertThat(judged()).startsWith("Not as you thought: web-1 saw 10.244.1.2.");
        assertThat(chromium.evaluate("String(document.querySelector('fieldset input').disabled)"))
                .isEqualTo("true");

        click(".again");
        assertThat(judged()).startsWith("|");
        assertThat(chromium.evaluate("String(document.querySelector('fieldset input').disabled)"))
                .isEqualTo("false");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280, 1920})
    void fillInAndSendStayInView(int width) throws Exception {
        chromium.resize(width, 740, 1);
        openLesson(1);
        click("#fill");
        click("#go");
        await("document.querySelectorAll('[data-judged=wait]').length === 2 && !probe.busy");
        for (int place : List.of(0, 300, 99999)) {
            chromium.evaluate("halt(); for (const e of [window, document.querySelector('#panel')]) e.scrollTo({top: "
                    + place + ", behavior: 'instant'}); ''");
            assertThat(chromium.evaluate("String(['fill', 'go', 'probe-from', 'probe-to'].every(id => {"
                            + " const box = document.getElementById(id).getBoundingClientRect();"
                            + " return box.top >= 40 && box.bottom <= innerHeight && box.right <= innerWidth && document"
                            + ".elementFromPoint(box.left + 8, box.top + 8).closest('#' + id) !== null; }))"))
                    .as("at " + place)
                    .isEqualTo("true");
        }

        chromium.evaluate(
                "$('probe-to').value = 'web-1:8080'; $('probe-to').dispatchEvent(new Event('input', {bubbles: true})); ''");
        assertThat(judged())
                .as("what is said of another packet goes when the form changes")
                .isEqualTo("|");
        desktop();
    }

    @Test
    void whatHappenedBeforeAPredictionDoesNotCount() throws Exception {
        openLesson(1);
        click("#lessons .fill");
        click("#go");
        await("document.querySelectorAll('[data-judged=wait]').length === 2");

        assertThat(judged()).startsWith("Not yet: say first what you expect, then send it once more.");
    }

    @Test
    void anotherPacketDoesNotCount() throws Exception {
        openLesson(4);
        choose("sender");
        click("#go");
        await("document.querySelectorAll('[data-judged=wait]').length === 1");

        assertThat(judged()).isEqualTo("Not yet: this went from client-1 to web:80.");
    }

    @Test
    void aPacketBeforeTheServiceIsChangedDoesNotCount() throws Exception {
        openLesson(3);
        choose("sender");
        click("#lessons .fill");
        chromium.evaluate("probe.from = 'client'; lessonSaw({observed: {}}); ''");

        assertThat(judged()).isEqualTo("Not yet: Service web has not externalTrafficPolicy: Local.");
    }

    /** A policy is in force a moment after the server has it. */
    @Test
    void aPacketThatIsAheadOfTheRulesDoesNotCount() throws Exception {
        openLesson(9);
        choose("silent");
        click("#lessons .fill");
        chromium.evaluate("[probe.from, probe.to] = ['client-2', 'web-3:8080'];"
                + " lessonSaw({observed: {kind: 'answered'}, policies: ['default/deny-all'], differences: ['x']}); ''");

        assertThat(judged())
                .startsWith(
                        "Not yet: it did not go as the rules promise, or they were not in force yet. Send it once more.");
    }

    @Test
    void rulesHaveChangedWhenEveryProxyHasSyncedAndTheirDifferenceIsKnown() throws Exception {
        openLesson(6);
        choose("all");
        await("document.querySelector('.judged').textContent.includes('as it was')");
        page.tell("step", step("pod", "web-3", "is not ready").put("ready", false));
        tell("rules", "n1", "synced");
        tell("diff", "n1", "1 rule more, 1 less");
        await("document.querySelector('.judged').textContent.startsWith('Not yet')");
        tell("rules", "n2", "synced");
        await("document.querySelector('[data-judged=wrong]') !== null");

        assertThat(judged()).isEqualTo("Not as you thought: rules changed on n1.");
    }

    @Test
    void aConnectionIsAskedForBeforeItCanOutliveAnything() throws Exception {
        openLesson(7);
        choose("open");
        await("document.querySelector('.judged').textContent.includes('no connection from client-1 to solo:80')");
        click("#lessons .fill");

        assertThat(chromium.evaluate("location.hash")).contains("view=flows", "lesson=7", "with=client-1+solo%3A80");
    }

    @Test
    void theOpenLessonIsInTheAddressAndTakesTheFocus() throws Exception {
        openLesson(3);
        assertThat(chromium.evaluate("location.hash")).contains("view=lessons", "lesson=3");

        chromium.evaluate(
                "[...document.querySelectorAll('#lessons button')].find(b => b.textContent === 'Next lesson').click(); ''");

        await("location.hash.includes('lesson=4')");
        assertThat(chromium.evaluate("document.activeElement.textContent")).isEqualTo("A pod that calls itself");
    }

    @ParameterizedTest
    @CsvSource({
        "lesson-phone, 360, light, 1", "lesson-phone-dark, 360, dark, 5", "lesson, 1280, light, 1",
        "lesson-dark, 1280, dark, 7", "lesson-wide, 2560, light, 1", "lesson-wide-dark, 2560, dark, 3",
        "lessons, 1280, light, 0", "lessons-phone-dark, 360, dark, 0"
    })
    void isReadable(String name, int width, String scheme, int number) throws Exception {
        chromium.resize(width, 900, 1);
        chromium.media("screen", scheme);
        open("view=lessons&lesson=" + number);
        await("document.querySelectorAll('#lessons button').length > 2");
        if (number == 1) {
            choose("sender");
            choose("pod");
            click("#lessons .fill");
            click("#go");
            await("document.querySelectorAll('[data-judged=right]').length === 2");
            chromium.evaluate("halt(); step(1); showResult(); ''");
            // On a phone the picture comes below the form that stays.
            assertThat(
                            chromium.evaluate(
                                    "String(!phone.matches"
                                            + " || $('send').getBoundingClientRect().bottom <= $('stage').getBoundingClientRect().top)"))
                    .isEqualTo("true");
        }
        chromium.evaluate("document.querySelectorAll('#lessons details').forEach(e => { e.open = true; }); ''");

        assertReadable(name);
    }

    private void tell(String layer, String where, String what) {
        page.tell("step", step(layer, where, what));
    }

    private String judged() throws Exception {
        return chromium.evaluate("[...document.querySelectorAll('.judged')].map(e => e.textContent).join('|')");
    }

    private void choose(String value) throws Exception {
        click("#lessons input[value='" + value + "']");
    }
}
