package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions.RefusedException;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedNode;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reader's changes and comparisons on the page. Pictures are left in {@code target/pages} for a person to look at.
 */
class ChangeInBrowserTest extends BrowserTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final LivePage page = new LivePage(InstantSource.system());
    private final List<String> asked = new CopyOnWriteArrayList<>();

    @Override
    PageServer serve(Path folder) {
        return new PageServer(page, this::act, () -> new FlowList(1, 0, List.of()), SECRET, HttpServerCodec::new);
    }

    @BeforeEach
    void open() throws Exception {
        asked.clear();
        page.show(SamplePicture.small());
        desktop();
        show("");
    }

    private static final String IN_VIEW = "(({top, bottom}) => top >= 56 && bottom <= innerHeight)"
            + "(document.querySelector('.here').getBoundingClientRect())";

    private static final String TOLD = "window.told = (at, layer, where, what) =>"
            + " ({kind: 'step', at, layer, where, what, added: [], removed: []});"
            + " window.did = (at, act, where, what) => ({...told(at, 'you', where, what), act});"
            + " window.turned = (at, layer, where, ready) =>"
            + " ({...told(at, layer, where, ready ? 'is ready' : 'is not ready'), ready});";

    private void show(String selection) throws Exception {
        load(selection);
        await("document.querySelectorAll('.pod').length > 0");
    }

    private JsonNode act(String name, JsonNode what) throws RefusedException {
        asked.add(name + " " + what);
        if (what.path("to").asText().equals("nothing:80")) {
            throw new RefusedException(400, "TO: \"nothing:80\" (expected: a name)");
        }
        return name.equals("compare")
                ? comparison(what)
                : JSON.createObjectNode().put("done", true);
    }

    /** Two modes with 200 latencies each: one quick, one slow. */
    private static JsonNode comparison(JsonNode what) {
        Random random = new Random(7);
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode modes = answer.putArray("modes");
        int typical = 420;
        for (JsonNode mode : what.path("modes")) {
            ObjectNode part = modes.addObject().put("mode", mode.asText()).put("failed", 0);
            part.set("probe", json(mode.asText().equals("userspace") ? "probe-userspace.json" : "probe.json"));
            ArrayNode micros = part.putArray("micros");
            for (int i = 0; i < 200; i++) {
                micros.add((long) (typical * Math.exp(random.nextGaussian() * 0.3)));
            }
            typical *= 3;
        }
        return answer;
    }

    @Test
    void editsAServiceByItsButtons() throws Exception {
        click("[data-key='service:web']");
        pressed("externalTrafficPolicy", "Cluster");

        click("[aria-label='externalTrafficPolicy'] button:nth-child(2)");
        awaitAsked("service {\"service\":\"web\",\"field\":\"externalTrafficPolicy\",\"value\":\"Local\"}");
        await("!changing && !document.querySelector(\"[aria-label='selector'] button:nth-child(2)\").disabled");
        click("[aria-label='selector'] button:nth-child(2)");
        awaitAsked("service {\"service\":\"web\",\"field\":\"selector\",\"value\":\"nobody\"}");
    }

    /** By keyboard: Enter on a focused button is a click, and the focus stays where it was. */
    @Test
    void switchesOneNodesModeByKeyboard() throws Exception {
        click("[data-key='node:n2']");
        pressed("mode", "iptables");
        chromium.evaluate("document.querySelector(\"[aria-label='mode'] button:nth-child(2)\").focus(); ''");

        chromium.evaluate("document.activeElement.click(); ''");

        awaitAsked("mode {\"mode\":\"nftables\",\"node\":\"n2\"}");
    }

    @Test
    void killsAnAgentAndStartsItAgain() throws Exception {
        click("[data-key='node:n2']");
        clickText("Kill the agent");
        awaitAsked("agent {\"node\":\"n2\",\"run\":false}");

        page.show(withSecondNode("iptables", false));
        await("document.querySelector('#about').textContent.includes('has ended: the kernel goes on')");
        clickText("Start the agent");
        awaitAsked("agent {\"node\":\"n2\",\"run\":true}");
    }

    /** For every reader: an agent that starts in place of another is no trouble. */
    @Test
    void showsAnAgentThatStartsInPlaceOfAnotherAsNoTrouble() throws Exception {
        page.show(withSecondNode("nftables", false, true, true));

        String head = "document.querySelector(\"[data-key='node:n2']\")";
        await(head + ".textContent.includes('its agent starts anew')");
        assertThat(chromium.evaluate(head + ".querySelector('.state').textContent"))
                .isEqualTo("");
        click("[data-key='node:n2']");
        await("document.querySelector('#about').textContent.includes('starts anew')");
        assertThat(chromium.evaluate("document.querySelector('#about').textContent"))
                .as("nobody needs to start it")
                .doesNotContain("Start the agent");
    }

    @Test
    void killsANodeAndStartsItAgain() throws Exception {
        click("[data-key='node:n2']");
        clickText("Kill the node");
        awaitAsked("node {\"node\":\"n2\",\"run\":false}");

        page.show(withSecondNode("iptables", false, false, false));
        await("document.querySelector('#about').textContent.includes('no power')");
        assertThat(chromium.evaluate("document.querySelector(\"[data-key='node:n2'] .state\").textContent"))
                .isEqualTo("no power");
        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('#about button')].map(each => each.textContent).join()"))
                .as("nothing else can be asked of it")
                .isEqualTo("Start the node");
        clickText("Start the node");
        awaitAsked("node {\"node\":\"n2\",\"run\":true}");
    }

    @Test
    void bringsBackAKilledPodThatNobodyMakesAgain() throws Exception {
        Picture small = SamplePicture.small();
        click("[data-key='pod:web-2']");
        clickText("Kill the pod");
        awaitAsked("kill {\"pod\":\"web-2\"}");
        page.tell("step", step("you", "web-1", "kill the pod").put("act", "kill-pod"));
        page.tell(
                "step",
                step("you", "web-2", "kill the pod (nobody makes it again)").put("act", "kill-lone-pod"));
        page.show(new Picture(
                small.mode(),
                small.client(),
                small.nodes(),
                small.pods().stream()
                        .filter(pod -> !pod.id().startsWith("web-"))
                        .toList(),
                small.services()));

        await("document.querySelector('#about').textContent.includes('pod web-2 is gone.')");
        await("document.querySelectorAll('.burst button').length === 1");
        clickText("Restart the pod");
        awaitAsked("restart {\"pod\":\"web-2\"}");
        asked.clear();
        await("!changing && document.querySelector('.burst button')?.disabled === false");
        assertThat(chromium.evaluate("document.querySelector('.burst button').textContent"))
                .as("the owner of web-1 makes another")
                .isEqualTo("Restart the pod");
        click(".burst button");
        awaitAsked("restart {\"pod\":\"web-2\"}");

        page.show(small);
        await("document.querySelectorAll('.burst button').length === 0");
        assertThat(chromium.evaluate("document.querySelector('#about').textContent"))
                .doesNotContain("Restart the pod");
    }

    @Test
    void showsEachNodesModeAndSaysThatTheyAreMixed() throws Exception {
        page.show(withSecondNode("nftables", true));

        await("document.querySelector('#link-text').textContent === 'live, mixed modes'");
        assertThat(chromium.evaluate("[...document.querySelectorAll('.rules small')].map(e => e.textContent).join()"))
                .isEqualTo("iptables mode,nftables mode");
        assertThat(chromium.evaluate("document.querySelectorAll('#modes [aria-pressed=true]').length + ''"))
                .isEqualTo("0");
    }

    @Test
    void comparesTwoModesAndKeepsThemInTheAddress() throws Exception {
        show("&view=compare&modes=nftables,userspace");
        assertThat(asked).as("opening an address changes nothing").isEmpty();
        assertThat(chromium.evaluate("document.querySelector('#compare-0').value"))
                .isEqualTo("nftables");

        click("#compare-go");
        await("document.querySelectorAll('#compare .mode').length === 2");

        assertThat(asked)
                .containsExactly(
                        "compare {\"from\":\"client-1\",\"to\":\"web:80\",\"modes\":[\"nftables\",\"userspace\"]}");
        assertThat(chromium.evaluate("document.querySelector('#compare').textContent"))
                .contains("p50 0.4", "p99", " ms", "200 probes", "10.244.1.3:8080", "1 rule matches, on n1");
        assertThat(chromium.evaluate("document.querySelector('#compare svg').getAttribute('aria-label')"))
                .startsWith("200 latencies: p50 ");
        assertThat(chromium.evaluate("location.hash")).contains("view=compare", "modes=nftables%2Cuserspace");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280, 1920})
    void rowsOfAComparisonStandAtOneHeightAndDifferencesComeFirst(int width) throws Exception {
        chromium.resize(width, 900, 1);
        show("&view=compare&modes=iptables,userspace");
        click("#compare-go");
        await("document.querySelectorAll('#compare .mode').length === 2");

        assertThat(chromium.evaluate("(() => { const cells = [...document.querySelectorAll('#compare .cell')].map(e =>"
                        + " e.getBoundingClientRect()); return String(cells.length >= 10 && cells.every((cell, i) =>"
                        + " i % 2 === 0 || (cell.top === cells[i - 1].top && cell.left >= cells[i - 1].right"
                        + " && Math.abs(cell.width - cells[i - 1].width) < 1 && cell.right <= innerWidth))); })()"))
                .isEqualTo("true");
        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('#compare h4')].map(e => e.textContent[0]).join('')"))
                .matches("\u2260{3,}=+");
        click("#compare .mode button");
        await("document.querySelector('#path .dot') !== null");
        assertThat(chromium.evaluate("String(document.querySelector('#picture').checkVisibility())"))
                .as("the picture shows the way of a compared packet")
                .isEqualTo("true");
        chromium.evaluate("scrollTo({top: 250, behavior: 'instant'}); ''");
        assertThat(chromium.evaluate("(() => { const [table, picture] = ['compare', 'picture'].map(id => $(id)"
                        + ".getBoundingClientRect()); return picture.left >= table.right && picture.top > 0 ? 'beside'"
                        + " : picture.top >= table.bottom ? 'below' : 'over'; })()"))
                .as("the picture stays in view where it has room beside the table")
                .isEqualTo(width < 1280 ? "below" : "beside");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280, 1920})
    void theWayOfAComparedPacketComesIntoViewUntilTheReaderScrolls(int width) throws Exception {
        chromium.resize(width, 500, 1);
        chromium.reduceMotion();
        show("&view=compare&modes=iptables,userspace");
        click("#compare-go");
        await("document.querySelectorAll('#compare .mode').length === 2");
        chromium.evaluate("const { steps } = compare.answer.modes[1].probe;"
                + " steps.push({ ...steps[steps.length - 1], where: 'n2', hook: 'forward' }); ''");

        click("#compare .mode:nth-child(3) button");

        await("probe.at === probe.answer.steps.length - 1 && !probe.timer");
        await(IN_VIEW);
        chromium.evaluate("dispatchEvent(new WheelEvent('wheel'));"
                + " for (const e of [window, $('picture')]) e.scrollTo({top: 0, behavior: 'instant'});"
                + " step(probe.at); ''");
        assertThat(chromium.evaluate("scrollY + ' ' + $('picture').scrollTop")).isEqualTo("0 0");
    }

    @Test
    void theAxisOfAComparisonFollowsItsWidth() throws Exception {
        chromium.resize(1920, 900, 1);
        show("&view=compare&modes=iptables,userspace");
        assertThat(chromium.evaluate("document.querySelector('#compare-note').textContent"))
                .contains("Two of the three modes at a time");
        click("#compare-go");
        await("document.querySelectorAll('#compare .mode').length === 2");
        String labels = "[...document.querySelectorAll('.axis')].map(axis => [...axis.children]"
                + ".filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect()))";
        String count = chromium.evaluate(labels + "[0].length + ''");

        chromium.resize(360, 900, 1);

        assertThat(
                        chromium.evaluate(
                                "String(" + labels + ".every((all, axis) => all.length > 0 && all.every((box, i) =>"
                                        + " i === 0 || box.left >= all[i - 1].right + 4)"
                                        + " && all[all.length - 1].right <= document.querySelectorAll('.axis')[axis].getBoundingClientRect().right))"))
                .isEqualTo("true");
        chromium.resize(1920, 900, 1);
        assertThat(chromium.evaluate(labels + "[0].length + ''")).isEqualTo(count);
    }

    @Test
    void ownChangesComeFirstAndARepeatedSyncIsOneRow() throws Exception {
        page.show(withSecondNode("iptables", false));
        await("model.nodes.get('n2').agent === false");
        chromium.evaluate(TOLD
                + " model.news = [did(1000, 'kill-agent', 'n2', 'kill the agent (kill -9)'), told(1010, 'agent', 'n2', 'has ended'),"
                + " ...[0, 1, 2, 3].map(i => told(30000 + 20000 * i, 'rules', 'n1',"
                + " i ? `synced 8 Service ports in 1${i} ms` : 'synced 1 Service port in 10 ms'))];"
                + " redraw(); ''");

        await("document.querySelectorAll('.burst').length === 2");
        await("[...document.querySelectorAll('.burst button')].some(e => e.textContent === 'Start the agent')");
        assertThat(chromium.evaluate("document.querySelector('.burst .layer-you').textContent"))
                .as("one's own change is on top, though the syncs are newer")
                .contains("kill the agent");
        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('.burst .layer-rules')].map(e => e.textContent).join()"))
                .endsWith("n1 synced 8 Service ports in 13 ms, the last of 4")
                .doesNotContain("10 ms");
        click(".burst button");
        awaitAsked("agent {\"node\":\"n2\",\"run\":true}");
    }

    /** A restarted agent syncs many seconds later: that is the effect of the switch. */
    /** So an effect never stands before its cause. */
    @Test
    void whatIsToldAgainStandsWhereItCameLast() throws Exception {
        chromium.evaluate(TOLD
                + " model.news = [did(1000, 'restart-pod', 'web-1', 'restart the pod'),"
                + " told(1050, 'slice', 'web', 'EndpointSlice: 2 of 3 ready'), turned(1090, 'pod', 'web-1', true),"
                + " told(1095, 'slice', 'web', 'EndpointSlice: 3 of 3 ready')]; redraw(); ''");
        await("document.querySelectorAll('.burst').length === 1 && !pending");

        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('.burst li:not(.when)')].map(e => e.textContent).join('|')"))
                .isEqualTo("+0 msweb-1 restart the pod|+90 msweb-1 is ready"
                        + "|+95 msweb EndpointSlice: 3 of 3 ready, the last of 2");
    }

    /** A sync that has changed rules is no repetition of the previous one. */
    @Test
    void whatHasHadAnEffectKeepsItsRow() throws Exception {
        chromium.evaluate(TOLD
                + " model.news = [did(1000, 'kill-pod', 'web-1', 'kill the pod'),"
                + " told(1010, 'slice', 'web', 'EndpointSlice: 2 of 3 ready'), told(1020, 'rules', 'n1', 'synced 1 Service port in 9 ms'),"
                + " told(1030, 'diff', 'n1', '0 rules more, 3 less'), told(1040, 'slice', 'web', 'EndpointSlice: 2 of 2 ready'),"
                + " told(1050, 'rules', 'n1', 'synced 1 Service port in 5 ms'), told(1060, 'rules', 'n1', 'synced 1 Service port in 4 ms')];"
                + " redraw(); ''");
        await("document.querySelectorAll('.burst').length === 1 && !pending");

        assertThat(
                        chromium.evaluate(
                                "[...document.querySelectorAll('.burst li:not(.when) .text')].map(e => e.textContent.replace('which', '')).join('|')"))
                .isEqualTo("web-1 kill the pod|web EndpointSlice: 2 of 3 ready|n1 synced 1 Service port in 9 ms"
                        + "|n1 0 rules more, 3 less|web EndpointSlice: 2 of 2 ready"
                        + "|n1 synced 1 Service port in 4 ms, the last of 2");
    }

    /** A sheet over the page, with the possible actions first. */
    @Test
    void onAPhoneWhatIsSelectedCanBeChangedAtOnce() throws Exception {
        chromium.reduceMotion();
        chromium.resize(360, 640, 1);
        await("document.querySelector('.top #views') === null && !pending");
        click("[data-key='pod:web-1']");
        await("document.querySelectorAll('#about button').length > 2");

        String seen = "e => (({top, bottom}) => top >= 0 && bottom <= innerHeight)(e.getBoundingClientRect())";
        assertThat(chromium.evaluate("[...document.querySelectorAll('#about button')].filter(" + seen
                        + ").map(e => e.textContent).join()"))
                .endsWith("\u2715,Set not ready,Kill the pod");
        await("document.querySelector('.pick[aria-pressed=true]').getBoundingClientRect().bottom"
                + " <= $('about').getBoundingClientRect().top");
        clickText("\u2715");
        await("$('about').textContent === ''");

        click("[data-key='pod:web-1']");
        click("#go");
        await("!probe.busy && $('about').textContent === ''");
    }

    @Test
    void saysHowFarTheNodesAreInAChangeOfModes() throws Exception {
        page.show(withSecondNode("nftables", true));
        chromium.resize(360, 640, 1);
        chromium.evaluate("probe.busy = true; switching = {mode: 'nftables'}; redraw(); ''");

        await("$('link-text').textContent === 'nftables on 1 of 2 nodes'");
        assertThat(chromium.evaluate("$('go').textContent")).isEqualTo("waits for nftables mode\u2026");
        assertThat(chromium.evaluate("String($('link-text').checkVisibility())"))
                .as("seen on a phone too")
                .isEqualTo("true");
    }

    @Test
    void anOwnActionIsToldWithWhatItsAgentsDoMuchLater() throws Exception {
        chromium.evaluate(TOLD
                + " model.news = [did(1000, 'switch-mode', 'every node', 'switch to nftables mode'),"
                + " told(1500, 'agent', 'n1', 'the agent has ended'),"
                + " told(1600, 'agent', 'n2', 'the agent has ended'),"
                + " told(16000, 'rules', 'n1', 'synced 8 Service ports in 11 ms'),"
                + " told(16100, 'diff', 'n1', '9 rules more, 0 less'),"
                + " told(29000, 'rules', 'n2', 'synced 8 Service ports in 12 ms'),"
                + " told(40000, 'rules', 'n1', 'synced 8 Service ports in 13 ms')]; redraw(); ''");
        await("document.querySelectorAll('.burst').length === 2");
        assertThat(bursts())
                .isEqualTo("every node switch to nftables mode|n1 the agent has ended|n2 the agent has ended"
                        + "|n1 synced 8 Service ports in 11 ms|n1 9 rules more, 0 less"
                        + "|n2 synced 8 Service ports in 12 ms"
                        + " / n1 synced 8 Service ports in 13 ms");

        chromium.evaluate("model.news = [did(1000, 'kill-agent', 'n1', 'kill the agent (kill -9)'),"
                + " told(1100, 'agent', 'n1', 'the agent has ended'), did(5000, 'start-agent', 'n1', 'start the agent'),"
                + " told(20000, 'rules', 'n1', 'synced 8 Service ports in 11 ms')]; redraw(); ''");
        await("document.querySelector('.burst .layer-you').textContent.includes('start')");
        assertThat(bursts())
                .isEqualTo("n1 start the agent|n1 synced 8 Service ports in 11 ms"
                        + " / n1 kill the agent (kill -9)|n1 the agent has ended");
    }

    /** Its Lease expires when it has been started again already. */
    @Test
    void aKilledNodesLossesAreToldWithItsKill() throws Exception {
        chromium.evaluate(TOLD
                + " model.news = [did(1000, 'kill-node', 'n2', 'kill the node (it loses its power)'),"
                + " did(5000, 'start-node', 'n2', 'start the node'), turned(6000, 'node', 'n2', false),"
                + " turned(6001, 'pod', 'web-3', false),"
                + " told(6002, 'slice', 'web', 'EndpointSlice: 2 of 3 ready'),"
                + " told(9000, 'rules', 'n1', 'synced 1 Service port in 9 ms'),"
                + " told(9001, 'rules', 'n2', 'synced 8 Service ports in 12 ms'),"
                + " turned(9500, 'node', 'n2', true), turned(9900, 'pod', 'web-3', true)]; redraw(); ''");

        await("document.querySelectorAll('.burst').length === 2");
        assertThat(bursts())
                .isEqualTo("n2 start the node|n2 synced 8 Service ports in 12 ms|n2 is ready|web-3 is ready"
                        + " / n2 kill the node (it loses its power)|n2 is not ready|web-3 is not ready"
                        + "|web EndpointSlice: 2 of 3 ready|n1 synced 1 Service port in 9 ms");
    }

    @Test
    void aComparisonIsToldRoundByRound() throws Exception {
        chromium.evaluate(TOLD
                + " const round = (at, what) => told(at, 'compare', 'comparison', what);"
                + " model.news = [did(1000, 'compare', 'every node', 'compare iptables and nftables'),"
                + " round(1001, 'switch every node to iptables mode'),"
                + " told(1500, 'agent', 'n1', 'the agent has ended'),"
                + " round(12000, '500 probes in iptables mode, round 1 of 2'),"
                + " round(22000, 'switch every node to nftables mode'),"
                + " told(22500, 'agent', 'n1', 'the agent has ended'),"
                + " round(32000, '500 probes in nftables mode, round 1 of 2'),"
                + " round(42000, '500 probes in nftables mode, round 2 of 2')]; redraw(); ''");

        await("document.querySelectorAll('.burst').length === 1");
        assertThat(bursts())
                .isEqualTo("every node compare iptables and nftables|comparison switch every node to iptables mode"
                        + "|n1 the agent has ended|comparison 500 probes in iptables mode, round 1 of 2"
                        + "|comparison switch every node to nftables mode|n1 the agent has ended"
                        + "|comparison 500 probes in nftables mode, round 1 of 2"
                        + "|comparison 500 probes in nftables mode, round 2 of 2");
    }

    /** The rows of all bursts, the topmost first. */
    private String bursts() throws Exception {
        return chromium.evaluate("[...document.querySelectorAll('.burst')].map(burst => [...burst.querySelectorAll("
                + "'.text:not(code)')].map(each => each.querySelector('b').textContent + each.childNodes[1].data)"
                + ".join('|')).join(' / ')");
    }

    @Test
    void theFormIsFilledWithWhatExistsAndAnErrorGoesWithItsCause() throws Exception {
        chromium.evaluate("probe.chosen = false; probe.to = 'other:80'; drawForm(); ''");
        assertThat(chromium.evaluate("document.querySelector('#probe-to').value"))
                .as("a Service of this cluster that has endpoints")
                .isEqualTo("web:80");
        assertThat(chromium.evaluate("[...document.querySelectorAll('#targets option')].map(e => e.value).join(' ')"))
                .isEqualTo(" web:80 n1:30080 client-1:8080 web-1:8080 web-2:8080");

        chromium.evaluate("probe.error = 'TO: no such name'; drawPanel(); ''");
        await("document.querySelector('#result .difference') !== null");
        chromium.evaluate("$('targets').value = 'web-1:8080'; $('targets').dispatchEvent(new Event('change')); ''");
        assertThat(chromium.evaluate("document.querySelector('#probe-to').value + probe.to + $('result').textContent"))
                .isEqualTo("web-1:8080web-1:8080");
    }

    @Test
    void percentilesAreThoseOfTheLatencies() throws Exception {
        assertThat(chromium.evaluate("const all = Array.from({length: 200}, (_, i) => 200 - i);"
                        + " [percentile(all, .5), percentile(all, .99), millis(620), millis(12345)].join()"))
                .isEqualTo("100,198,0.62 ms,12 ms");
    }

    @Test
    void saysWhatAComparisonRefuses() throws Exception {
        show("&view=compare&to=nothing:80");

        click("#compare-go");

        await("!document.querySelector('#compare-error').hidden");
        assertThat(chromium.evaluate("document.querySelector('#compare-error').textContent"))
                .isEqualTo("TO: \"nothing:80\" (expected: a name)");
    }

    @ParameterizedTest
    @CsvSource({
        "compare-phone, 360, 1600, light",
        "compare-phone-dark, 360, 1600, dark",
        "compare, 1280, 900, light",
        "compare-dark, 1280, 900, dark",
        "compare-wide, 2560, 1200, light"
    })
    void aComparisonIsReadable(String name, int width, int height, String scheme) throws Exception {
        chromium.resize(width, height, 1);
        chromium.media("screen", scheme);
        show("&view=compare&modes=iptables,userspace");
        click("#compare-go");
        await("document.querySelectorAll('#compare .mode').length === 2");

        assertReadable(name);
    }

    @ParameterizedTest
    @CsvSource({"change-phone, 360, light", "change, 1280, light", "change-wide-dark, 2560, dark"})
    void controlsAreReadable(String name, int width, String scheme) throws Exception {
        page.show(withSecondNode("nftables", true));
        page.tell("step", step("you", "Service web", "set sessionAffinity: ClientIP"));
        page.tell("step", step("service", "Service web", "sessionAffinity: ClientIP"));
        page.tell("step", step("snapshot", "n1", "the watcher has a new snapshot"));
        page.tell("step", step("rules", "n1", "synced 1 Service port in 12 ms"));
        page.tell("step", step("note", "n1", "goes on with the rules, routes and connections that its kernel has."));
        chromium.resize(width, 1100, 1);
        chromium.media("screen", scheme);
        click("[data-key='service:web']");
        await("document.querySelectorAll('.choice').length === 4");
        await("document.querySelectorAll('.burst').length > 0");

        assertReadable(name);
        click("[data-key='node:n2']");
        await("document.querySelectorAll('.choice').length === 1");
        assertReadable(name + "-node");
    }

    /** The small picture, but n2 runs this mode, and its agent has ended or not. */
    private static Picture withSecondNode(String mode, boolean agent) {
        return withSecondNode(mode, agent, false, true);
    }

    private static Picture withSecondNode(String mode, boolean agent, boolean starting, boolean power) {
        Picture small = SamplePicture.small();
        PicturedNode node = small.nodes().get(1);
        return new Picture(
                mode.equals("iptables") ? mode : "mixed",
                small.client(),
                List.of(
                        small.nodes().get(0),
                        new PicturedNode(
                                node.id(),
                                node.addresses(),
                                node.podCidrs(),
                                true,
                                mode,
                                agent,
                                starting,
                                power,
                                node.sync(),
                                node.network())),
                small.pods(),
                small.services());
    }

    private void pressed(String label, String value) throws Exception {
        assertThat(chromium.evaluate(
                        "document.querySelector(\"[aria-label='" + label + "'] [aria-pressed=true]\").textContent"))
                .isEqualTo(value);
    }

    private void awaitAsked(String what) {
        Eventually.isTrue(what, () -> asked.contains(what));
    }

    private void clickText(String text) throws Exception {
        String button = "[...document.querySelectorAll('#about button')].find(e => e.textContent === '" + text + "')";
        // Drawn as well: the page draws a little after the answer, and a click on a disabled button is lost.
        await("!changing && " + button + "?.disabled === false");
        chromium.evaluate(button + ".click(); ''");
    }
}
