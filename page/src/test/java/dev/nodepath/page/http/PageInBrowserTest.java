package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.page.Flow;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageActions.RefusedException;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page as a browser draws it. Its pictures are left in {@code target/pages} for a person to look at. */
class PageInBrowserTest extends BrowserTest {
    private static final String HOSTILE = "<img src=x onerror=document.title='hit'>\u202Eevil".repeat(6);

    private final LivePage page = new LivePage(InstantSource.system());
    private final AtomicReference<FlowList> flows = new AtomicReference<>(new FlowList(1, 0, List.of()));
    private final AtomicReference<String> probe = new AtomicReference<>("probe.json");

    @Override
    PageServer serve(Path folder) {
        return new PageServer(
                page,
                (name, what) -> {
                    if (what.path("to").asText().equals("nosuch:80")) {
                        throw new RefusedException(400, "TO: \"nosuch:80\" (expected: a name)");
                    }
                    return json(Objects.requireNonNull(probe.get()));
                },
                this::flows,
                SECRET,
                HttpServerCodec::new);
    }

    @BeforeEach
    void open() throws Exception {
        page.show(SamplePicture.small());
        probe.set("probe.json");
        desktop();
        load("");
        await("document.querySelectorAll('.pod').length > 0");
    }

    @ParameterizedTest
    @CsvSource({
        "phone, 360, 800, light",
        "phone-dark, 360, 800, dark",
        "laptop, 1280, 900, light",
        "laptop-dark, 1280, 900, dark",
        "wide, 2560, 1440, light",
        "wide-dark, 2560, 1440, dark"
    })
    void isReadable(String name, int width, int height, String scheme) throws Exception {
        page.show(SamplePicture.of(manyPods()));
        chromium.resize(width, height, 1);
        chromium.media("screen", scheme);
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");
        chromium.evaluate("halt(); step(1); ''");

        assertReadable(name);
    }

    @Test
    void theAddressHasNoTokenAndReadsOnWithoutOne() throws Exception {
        assertThat(chromium.evaluate("location.href + document.cookie"))
                .isEqualTo(address().toString());

        chromium.open(address());

        await("document.querySelectorAll('.pod').length > 0");
    }

    /** The browser keeps its cookie for 127.0.0.1 alone. */
    @ParameterizedTest
    @CsvSource({"door-phone, 360, light", "door-laptop, 1280, dark"})
    void saysCalmlyWhatToOpenWithoutTheToken(String name, int width, String scheme) throws Exception {
        chromium.resize(width, 800, 1);
        chromium.media("screen", scheme);
        chromium.open(URI.create("http://localhost:" + address().getPort() + "/"));

        assertThat(chromium.evaluate("document.querySelector('main').innerText"))
                .contains("open the address that nodepath page prints", "go on to the page");
        Files.write(
                Path.of("target", "pages", name + ".png"), Base64.getDecoder().decode(chromium.screenshot()));
        assertThat(problems()).isEmpty();
    }

    @Test
    void showsAChangeWithoutBeingAsked() throws Exception {
        page.show(SamplePicture.of(List.of(SamplePicture.pod("web-1", "n1", 1, "10.244.1.3", false))));

        await("document.querySelector('[data-key=\"pod:web-1\"]').getAttribute('aria-label').includes('not ready')");
        await("document.querySelectorAll('.pod').length === 1");
    }

    @Test
    void showsWhatTheKernelSaysBesideWhatIsExpected() throws Exception {
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");

        assertThat(chromium.evaluate("document.querySelector('.agrees').textContent"))
                .contains("As the rules promise", "The kernel says the same of the one step");
        assertThat(chromium.evaluate("[...document.querySelectorAll('[data-step]')].map(each =>"
                        + " each.textContent.includes('the kernel says so too')).join()"))
                .isEqualTo("false,true");
        assertThat(chromium.evaluate("document.querySelector('.kernel').textContent"))
                .contains(
                        "The kernel\u2019s own trace: 2 rules",
                        "ip nat \u203a PREROUTING",
                        "\u2192 jump KUBE-SERVICES");
        chromium.evaluate("document.querySelector('.kernel').open = true; ''");
        assertThat(problems()).isEmpty();
    }

    @Test
    void showsWhatEachLinkCarriedInTheOrderOfTime() throws Exception {
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");

        assertThat(chromium.evaluate("document.querySelector('[data-step]').textContent"))
                .contains("on the wire: n1 veth1 in");
        chromium.evaluate("document.querySelector('.wire').parentNode.open = true; ''");
        assertThat(chromium.evaluate("document.querySelector('.wire').parentNode.innerText"))
                .contains(
                        "On the wire: 3 sightings",
                        "n1 eth0 out in VXLAN",
                        "+61 \u00b5s",
                        "10.96.0.20:80 \u2192 10.244.1.2");
        assertThat(chromium.evaluate("document.querySelectorAll('.wire .back').length + ''"))
                .isEqualTo("1");
        assertThat(problems()).isEmpty();
    }

    @Test
    void keepsPodsInTheirPlaces() throws Exception {
        String before = box("pod:web-1");

        page.show(SamplePicture.of(List.of(
                SamplePicture.pod("web-1", "n1", 1, "10.244.1.3", true),
                SamplePicture.pod("web-2", "n2", 0, "10.244.2.2", true))));
        await("document.querySelectorAll('.pod').length === 2");

        assertThat(box("pod:web-1")).isEqualTo(before);
    }

    @Test
    void selectsByClickAndKeepsItInTheAddress() throws Exception {
        click("[data-key='service:web']");

        assertThat(chromium.evaluate("document.querySelector('#about').textContent"))
                .contains("NodePort Service", "10.96.0.20", "80 and node port 30080/tcp", "web-1 at 10.244.1.3");
        assertThat(chromium.evaluate("document.querySelectorAll('.served').length + ''"))
                .isEqualTo("2");
        assertThat(chromium.evaluate("location.hash")).isEqualTo("#at=service%3Aweb");
    }

    /** Also a second time: the address has it as long as it is in the form. */
    @Test
    void aReloadKeepsFromAndTo() throws Exception {
        for (String view : List.of("", "view('tables'); ")) {
            load(view.isEmpty() ? "from=web-1&to=web-2:8080" : "from=web-1&to=web-2:8080&view=tables");
            await("document.querySelectorAll('.pod').length > 0");
            chromium.evaluate("select('node:n1'); ''");
            assertThat(chromium.evaluate("location.hash")).contains("from=web-1", "to=web-2%3A8080");
        }
    }

    @Test
    void hidesTheTokenFromTheAddress() throws Exception {
        assertThat(chromium.evaluate("location.href")).doesNotContain(SECRET.value());
    }

    @Test
    void isWalkedWithArrowKeys() throws Exception {
        chromium.evaluate("document.querySelector('[data-key=\"pod:client-1\"]').focus(); ''");

        key("ArrowRight");
        assertThat(focused()).isEqualTo("pod:web-1");
        key("ArrowUp");
        assertThat(focused()).isEqualTo("node:n1");
        key("ArrowRight");
        assertThat(focused()).isEqualTo("node:n2");
    }

    @Test
    void namesEveryPartForAScreenReader() throws Exception {
        assertThat(
                        chromium.evaluate(
                                "[...document.querySelectorAll('#picture button')].map(e => e.getAttribute('aria-label')).join('|')"))
                .contains(
                        "client outside the cluster, 172.30.0.254",
                        "node n1, ready, 172.30.0.11",
                        "pod web-1, ready, node n1, 10.244.1.3, serves web",
                        "Service web, 10.96.0.20, ports 80 and node port 30080/tcp, 2 of 2 endpoints ready");
    }

    @Test
    void showsTheSameAsTables() throws Exception {
        click("#as-tables");
        await("document.querySelectorAll('#tables table').length === 3");

        assertThat(chromium.evaluate("document.querySelector('#tables').textContent"))
                .contains("web-1", "10.244.1.3", "80 and node port 30080/tcp");
    }

    static List<String> hostileNames() {
        return List.of(HOSTILE, "a".repeat(253), "\u05d0\u202e".repeat(126), "--><svg onload=document.title='hit'>");
    }

    @ParameterizedTest
    @MethodSource("hostileNames")
    void showsHostileNamesAsText(String name) throws Exception {
        page.show(SamplePicture.of(List.of(SamplePicture.pod(name, "n1", 0, name, false))));
        await("document.querySelector('.pod .name').textContent.length === " + name.length());
        chromium.evaluate("select(document.querySelector('.pod button').dataset.key); ''");

        assertThat(chromium.evaluate("document.title")).doesNotContain("hit");
        assertThat(chromium.evaluate("document.querySelectorAll('img').length + ''"))
                .isEqualTo("0");
        assertThat(chromium.evaluate("document.documentElement.scrollWidth + ''"))
                .isEqualTo("1280");
    }

    @Test
    void showsTheRewriteOfAStep() throws Exception {
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");

        assertThat(chromium.evaluate("document.querySelector('#result').textContent"))
                .contains("web-1 answered", "-j DNAT --to-destination 10.244.1.3:8080", "10.96.0.20:80", "before");
        assertThat(chromium.evaluate("document.querySelector('mark').textContent"))
                .isEqualTo("10.244.1.3:8080");
    }

    @Test
    void saysInShortWhoRewritesThePacketAndLeadsToTheStep() throws Exception {
        click("#go");
        await("document.querySelectorAll('.rewriters').length === 1");
        assertThat(chromium.evaluate("document.querySelector('.rewriters').textContent"))
                .contains("on the way there", "n1", "KUBE-SEP-UIQK3OSOSTRHRPBX", "10.96.0.20:80", "10.244.1.3:8080")
                .doesNotContain("on the way back", "leaves by eth0");

        click(".rewriters button");
        assertThat(chromium.evaluate("document.querySelector('[aria-current=step]').dataset.step"))
                .isEqualTo("1");
    }

    /** A reader who looks at the summary keeps it in view while the picture plays the way. */
    @Test
    void playsTheWayAndLeavesThePanelWhereTheReaderHasIt() throws Exception {
        chromium.resize(1280, 420, 1);
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");

        await("document.querySelector('#step-count').textContent === '2 of 2'");
        await("document.querySelector('#pace').textContent === 'Play'");
        assertThat(chromium.evaluate("String(document.querySelector('#panel').scrollTop)"))
                .isEqualTo("0");

        // A scroll that is still under way would go on after the reader's.
        chromium.evaluate(
                "window.rests = false;"
                        + " document.querySelector('#panel').addEventListener('scrollend', () => { window.rests = true; }); ''");
        click(".controls button:nth-child(3)");
        await("(before => (window.seen = document.querySelector('#panel').scrollTop, window.rests && before > 100"
                + " && before === window.seen))(window.seen)");
        chromium.evaluate("document.querySelector('#panel').dispatchEvent(new WheelEvent('wheel', {deltaY: -900}));"
                + " document.querySelector('#panel').scrollTo({top: 0, behavior: 'instant'}); step(1); ''");
        assertThat(chromium.evaluate("String(document.querySelector('#panel').scrollTop)"))
                .isEqualTo("0");
    }

    @Test
    void sendsAgainFromBesideTheStepsAndKeepsTheFocus() throws Exception {
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");
        String reach = "(({top, bottom}) => top >= 0 && bottom <= innerHeight)"
                + "(document.querySelector('#again').getBoundingClientRect())";
        for (String place : List.of("0", "300", "9999")) {
            chromium.evaluate(
                    "document.querySelector('#panel').scrollTo({top: " + place + ", behavior: 'instant'}); ''");
            assertThat(chromium.evaluate("String(" + reach + ")")).as(place).isEqualTo("true");
        }

        chromium.evaluate("window.first = probe.answer; document.querySelector('#again').focus(); ''");
        click("#again");

        await("!probe.busy && probe.answer !== window.first && document.querySelector('[data-step]') !== null");
        assertThat(chromium.evaluate("document.activeElement.textContent")).isEqualTo("Send again");
    }

    @Test
    void aPacketThatIsNotSentTakesTheOneBeforeFromThePicture() throws Exception {
        click("#go");
        await("document.querySelector('#path .dot') !== null");

        chromium.evaluate("$('probe-to').value = 'nosuch:80';"
                + " $('probe-to').dispatchEvent(new Event('input', {bubbles: true})); ''");
        click("#go");

        await("!probe.busy && probe.error !== ''");
        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('#path *, .here, #tag:not([hidden])')].length + ''"))
                .isEqualTo("0");
    }

    /** The selected and the focused element are above the playback bar. */
    @ParameterizedTest
    @CsvSource({"360, 740", "1280, 800"})
    void playbackCoversNothingThatHasTheFocus(int width, int height) throws Exception {
        chromium.resize(width, height, 1);
        chromium.reduceMotion();
        probe.set("probe-nodeport.json");
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 23");
        chromium.evaluate("halt(); select('node:n1'); ''");
        String covered = "[...document.querySelectorAll('#about button')].filter(e => e.getBoundingClientRect().bottom"
                + " > $('play').getBoundingClientRect().top).map(e => e.textContent).join()";
        if (width > 739) {
            assertThat(chromium.evaluate(covered)).isEmpty();
        }

        chromium.evaluate("$('probe-from').focus(); ''");
        List<String> hidden = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            chromium.press("Tab", 9, "");
            hidden.add(chromium.evaluate(
                    "((e, {left, bottom, width} = e.getBoundingClientRect()) => e.closest('.combo, .top')"
                            + " || document.elementFromPoint(left + width / 2, bottom - 4)?.closest(e.tagName) === e"
                            + " ? '' : e.outerHTML)(document.activeElement)"));
        }
        assertThat(hidden).hasSize(40).containsOnly("");
    }

    /** A button that is disabled while it works would let the focus fall to the page's start. */
    @Test
    void keepsTheFocusOnSend() throws Exception {
        chromium.evaluate(
                "document.querySelector('#go').focus();"
                        + " document.querySelector('#go').click();"
                        + " window.whileBusy = document.activeElement.id + ' ' + document.querySelector('#go').textContent; ''");

        await("document.querySelectorAll('[data-step]').length === 2");
        assertThat(chromium.evaluate("window.whileBusy")).isEqualTo("go sending\u2026");
        assertThat(chromium.evaluate("document.activeElement.id")).isEqualTo("go");
    }

    @Test
    void namesTheModeOfAResultAndSaysWhenItIsOfAnother() throws Exception {
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");
        assertThat(chromium.evaluate("document.querySelector('.verdict').textContent"))
                .endsWith("iptables mode");
        assertThat(chromium.evaluate("document.querySelector('#rewriters-title').textContent"))
                .endsWith("iptables mode");
        assertThat(chromium.evaluate("document.querySelector('#stale').checkVisibility() + ''"))
                .isEqualTo("false");

        chromium.evaluate("model.nodes.get('n1').mode = 'nftables'; redraw(); ''");

        await("document.querySelector('#stale').checkVisibility()");
        assertThat(chromium.evaluate("document.querySelector('#stale').textContent"))
                .isEqualTo("sent in iptables mode; send again to see nftables mode");
        assertThat(chromium.evaluate("document.querySelector('#pace').textContent"))
                .isEqualTo("Play");
    }

    @Test
    void namesTheKernelAndWhoseRuleRewrites() throws Exception {
        click("#go");
        await("document.querySelectorAll('.rewriters button').length === 1");

        assertThat(chromium.evaluate("document.querySelector('.rewriters button').innerText"))
                .startsWith("The kernel of n1, by the proxy\u2019s rule")
                .contains("KUBE-SEP-UIQK3OSOSTRHRPBX");
    }

    @Test
    void tellsTheTwoConnectionsOfARelayAndItsPort() throws Exception {
        probe.set("probe-userspace.json");
        click("#go");
        await("document.querySelectorAll('.rewriters button').length === 4");

        assertThat(chromium.evaluate("[...document.querySelectorAll('.rewriters h4, .rewriters .where')]"
                                + ".map(each => each.textContent).join('|')")
                        .split("\\|"))
                .containsExactly(
                        "on the way there, connection 1: client to relay",
                        "The kernel of n1, by the proxy\u2019s rule",
                        "on the way there, connection 2: relay to endpoint",
                        "The relay on n1, a process of the proxy",
                        "on the way back, connection 2: relay to endpoint",
                        "on the way back, connection 1: client to relay",
                        "The relay on n1, a process of the proxy",
                        "The kernel of n1, by its connection tracking");
        assertThat(chromium.evaluate("document.querySelector('.rewriters mark').textContent"))
                .isEqualTo("relay on n1 (10.244.1.1:59885)");
        assertThat(chromium.evaluate("document.querySelector('.agrees').textContent"))
                .contains("any of 2 endpoints may answer");
        assertThat(chromium.evaluate("[...document.querySelectorAll('.turn')].map(each => each.textContent).join()"))
                .isEqualTo("connection 1: client to relay,connection 2: relay to endpoint,and back,"
                        + "connection 1: client to relay");
        assertThat(problems()).isEmpty();
    }

    @Test
    void showsFlowsAndMarksWhatOnlyConntrackKeeps() throws Exception {
        showFlows(SamplePicture.flow("n1-1", "web-1", "ready"), SamplePicture.flow("n1-2", "web-9", "gone"));

        assertThat(chromium.evaluate("document.querySelector('#flow-rows').textContent"))
                .contains(
                        "client-1",
                        "web:80",
                        "tcp established",
                        "kept by conntrack, though its endpoint is gone",
                        "3.5 kB in 12 packets",
                        "becomes 10.244.1.2:40000 \u2192 10.244.1.3:8080");
        assertThat(chromium.evaluate("document.querySelectorAll('#flow-rows .kept').length + ''"))
                .isEqualTo("1");
        assertThat(chromium.evaluate("location.hash")).isEqualTo("#view=flows");
    }

    /** Its octets are not known. */
    @Test
    void countsTheAttemptsThatWereRefused() throws Exception {
        showFlows(SamplePicture.flow("n1-1", "web-1", "ready"));

        assertThat(chromium.evaluate("flowRow({...flows.list[0], id: 'r', bytes: 0, packets: 3}).textContent"))
                .contains("3 packets")
                .doesNotContain("0 B");
    }

    @Test
    void findsAFlowAndSaysWhy() throws Exception {
        showFlows(SamplePicture.flow("n1-1", "web-1", "ready"), SamplePicture.flow("n1-2", "web-9", "gone"));

        chromium.evaluate("const box = document.querySelector('#flow-filter'); box.value = 'web-9 tcp';"
                + " box.dispatchEvent(new Event('input')); ''");
        await("document.querySelectorAll('#flow-rows tr').length === 1");
        click("#flow-rows button");
        await("document.querySelectorAll('[data-step]').length === 2");

        assertThat(chromium.evaluate("document.querySelector('#probe-to').value"))
                .isEqualTo("web:80");
        assertThat(chromium.evaluate("location.hash")).contains("view=flows", "with=web-9");
    }

    @Test
    void theRateIsWhatHasBeenCarriedSinceTheAnswerBefore() throws Exception {
        assertThat(chromium.evaluate("flows.at = 0; flows.before = new Map();"
                        + " takeFlows({at: 1000, total: 1, flows: [{id: 'a', bytes: 500}]});"
                        + " takeFlows({at: 3000, total: 1, flows: [{id: 'a', bytes: 4500}]});"
                        + " size(flows.list[0].rate) + '/s'"))
                .isEqualTo("2.0 kB/s");
    }

    @ParameterizedTest
    @CsvSource({"flows-phone, 360, light", "flows, 1280, light", "flows-wide-dark, 2560, dark"})
    void flowsAreReadable(String name, int width, String scheme) throws Exception {
        chromium.resize(width, 900, 1);
        chromium.media("screen", scheme);
        showFlows(IntStream.range(0, 30)
                .mapToObj(i -> SamplePicture.flow("n1-" + i, "web-" + i, i % 7 == 3 ? "unready" : "ready"))
                .toArray(Flow[]::new));
        click("#flow-rows details summary");

        assertReadable(name);
    }

    @Test
    void savesTheLastMinutesAsAFile() throws Exception {
        chromium.evaluate("HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }; ''");

        click("#save");

        await("window.saved !== undefined");
        assertThat(chromium.evaluate("window.saved")).matches("nodepath-20[0-9T-]+\\.jsonl");
        assertThat(chromium.evaluate("String(document.querySelector('#change-error').hidden)"))
                .isEqualTo("true");
    }

    /** Each hop shows the packet's addresses and ports; neither they nor the way cover a text. */
    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280, 1920})
    void thePacketsAddressesAreBesideTheDotAndCoverNothing(int width) throws Exception {
        chromium.resize(width, 900, 1);
        for (String answer : List.of("probe-nodeport.json", "probe-userspace.json")) {
            probe.set(answer);
            chromium.evaluate("probe.answer = null; sendProbe(); ''");
            await("probe.answer && !probe.busy");
            assertThat(chromium.evaluate(text("way-checks.js"))).as(answer).isEmpty();
        }
        assertThat(chromium.evaluate("document.querySelector('.legend').innerText"))
                .contains("packet, there", "and back", "rewritten");
    }

    /** Also where all nodes stand in one column: there the wire of a lower one passes beside the switch. */
    @ParameterizedTest
    @ValueSource(ints = {360, 640, 768, 1280})
    void theWireOfEachNodeReachesFromTheSwitchToTheNode(int width) throws Exception {
        chromium.resize(width, 900, 1);
        await("!pending");
        chromium.evaluate("window.ends = () => { drawWires(); const bar = place(drawn.get('switch'));"
                + " const on = ([x, y], box) => x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1"
                + " && y <= box.bottom + 1;"
                + " return [...$('trunks').children].filter(each => each.dataset.edge.startsWith('node:'))"
                + ".map(each => on(each.points[0], bar) && on(each.points.slice(-1)[0],"
                + " place(drawn.get(each.dataset.edge).firstChild))).join(); }; ''");

        assertThat(chromium.evaluate("ends()")).isEqualTo("true,true");
        chromium.evaluate("view('compare'); ''");
        await("!pending");
        assertThat(chromium.evaluate("ends()")).isEqualTo("true,true");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 1280, 1920})
    void saysWholeWhenANodeHasSyncedAndKeepsItsHeight(int width) throws Exception {
        chromium.resize(width, 900, 1);
        chromium.evaluate("view('compare'); window.heights = () => [...document.querySelectorAll('.node .head')]"
                + ".map(e => e.offsetHeight).join(); ''");
        await("!pending");
        String before = chromium.evaluate("heights()");

        chromium.evaluate("model.nodes.forEach(node => { node.sync = {...node.sync, durationMs: 1590,"
                + " at: Date.now() - 100000}; }); redraw(); ''");

        await("document.querySelector('.node .sync').textContent.endsWith('synced in 1590 ms, 1 min ago')");
        assertThat(chromium.evaluate("[...document.querySelectorAll('.node .sync')]"
                        + ".filter(e => e.scrollWidth > e.clientWidth).length + ''"))
                .isEqualTo("0");
        assertThat(chromium.evaluate("heights()")).isEqualTo(before);
    }

    @Test
    void marksWhatAHopHasChanged() throws Exception {
        probe.set("probe-nodeport.json");
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 23");
        chromium.evaluate("halt(); step(8); ''");

        assertThat(chromium.evaluate("document.querySelector('#tag').textContent"))
                .isEqualTo("172.30.0.254:40553 \u2192 10.244.1.3:8080");
        assertThat(chromium.evaluate("document.querySelector('#tag mark').textContent"))
                .isEqualTo("10.244.1.3:8080");
        chromium.evaluate("step(14); ''");
        assertThat(chromium.evaluate("document.querySelector('#tag mark').textContent"))
                .as("its port is known from conntrack")
                .isEqualTo("172.30.0.12:60930");
        assertThat(chromium.evaluate("[...document.querySelectorAll('.rewriters .packet')].map(e => e.textContent)"
                        + ".filter(text => text.startsWith('source')).join('|')"))
                .startsWith("source172.30.0.254:40553 \u2192 172.30.0.12:60930|source10.244.1.3:8080 \u2192 ");
        assertThat(chromium.evaluate("[...document.querySelectorAll('[data-step=\"14\"] .packet')]"
                        + ".map(e => e.textContent).join('|')"))
                .isEqualTo("before172.30.0.254:40553 \u2192 10.244.1.3:8080"
                        + "|after172.30.0.12:60930 \u2192 10.244.1.3:8080");
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280, 1920})
    void theHeaderIsOneLineAndStandsStill(int width) throws Exception {
        chromium.resize(width, 900, 1);
        await("phone.matches === (document.querySelector('.top #views') === null)");
        String places =
                "[...document.querySelectorAll('.top > :not(svg), .top button')].filter(e => e.checkVisibility())"
                        + ".map(e => e.getBoundingClientRect()).map(({x, width, height}) => [x, width, height].map(Math.round)).join(' ')";
        String before = chromium.evaluate(places);

        for (String moment : List.of(
                "switching = {mode: 'userspace'}",
                "switching = {mode: 'userspace', node: 'n2'}",
                "model.mode = 'mixed'",
                "model.heard = 1; linked('lost', 'not connected')")) {
            chromium.evaluate(moment + "; redraw(); ''");
            await("!pending");
            assertThat(chromium.evaluate(places)).as(moment).isEqualTo(before);
            assertThat(chromium.evaluate("String($('link-text').scrollWidth <= $('link-text').clientWidth)"))
                    .as("all words are seen: " + moment)
                    .isEqualTo("true");
            assertThat(chromium.evaluate(
                            "[...document.querySelectorAll('#modes [aria-busy]')].map(e => e.textContent).join()"))
                    .isEqualTo(moment.contains("'userspace'}") ? "userspace" : "");
        }
        assertThat(chromium.evaluate(
                        "String(Math.max(...[...document.querySelectorAll('.top > *')].map(e => e.offsetHeight || 0)) <= 56"
                                + " && document.documentElement.scrollWidth <= innerWidth)"))
                .isEqualTo("true");
        assertThat(chromium.evaluate("[...document.querySelectorAll('.top button, .views button')]"
                        + ".filter(e => e.checkVisibility() && e.getBoundingClientRect().right > (e.closest('.top')"
                        + " ? document.querySelector('#link').getBoundingClientRect().left : innerWidth))"
                        + ".map(e => e.textContent).join()"))
                .as("buttons beyond the right edge, or below the lamp")
                .isEmpty();
        assertThat(chromium.evaluate("String(document.querySelector('#as-compare').checkVisibility())"))
                .isEqualTo("true");
    }

    /** On a phone there is a row above it: the event, and the number of steps. */
    @ParameterizedTest
    @ValueSource(ints = {320, 360, 768, 1280, 1920})
    void playbackIsInOneRowAndAlwaysInView(int width) throws Exception {
        chromium.resize(width, 740, 1);
        probe.set("probe-nodeport.json");
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 23");
        chromium.evaluate("halt(); probe.at = 22; marked(); ''");
        for (String view : List.of("view('picture')", "view('compare')", "openLessons(true, 1)")) {
            chromium.evaluate(view + "; ''");
            await("!pending");
            for (int place : List.of(0, 400, 99999)) {
                chromium.evaluate("for (const e of [window, document.querySelector('#panel')]) e.scrollTo({top: "
                        + place + ", behavior: 'instant'}); ''");
                assertThat(
                                chromium.evaluate(
                                        "String([...document.querySelectorAll('#play > button:not(#said)')].map(e => e.getBoundingClientRect())"
                                                + ".every((box, i, all) => box.top > innerHeight - 60 && box.bottom <= innerHeight"
                                                + " && box.right <= innerWidth && Math.abs(box.top + box.bottom - all[0].top - all[0].bottom) < 4))"))
                        .as(view + " at " + place)
                        .isEqualTo("true");
            }
        }
    }

    /** On a phone: the form, the picture, and then the observations. */
    @ParameterizedTest
    @ValueSource(ints = {320, 360})
    void aPhoneShowsTheFormThenThePictureThenTheResult(int width) throws Exception {
        chromium.resize(width, 740, 1);
        click("#go");
        await("document.querySelectorAll('[data-step]').length === 2");

        assertThat(chromium.evaluate("const topOf = id => document.getElementById(id).getBoundingClientRect().top;"
                        + " String(topOf('send') < topOf('picture') && topOf('picture') < topOf('result'))"))
                .isEqualTo("true");
        chromium.reduceMotion();
        chromium.evaluate("halt(); probe.at = 1; marked(); ''");
        click("#said");
        assertThat(chromium.evaluate("String(topOf('result') >= 0 && topOf('result') < 100)"))
                .as("what was said leads to its result")
                .isEqualTo("true");
        chromium.evaluate("view('tables'); ''");
        await("document.querySelectorAll('#tables tr').length > 0");
        assertThat(
                        chromium.evaluate(
                                "String([...document.querySelectorAll('#tables td')].filter(e => e.checkVisibility()).every(e =>"
                                        + " getComputedStyle(e).display === 'grid' && e.getBoundingClientRect().right <= innerWidth))"))
                .as("each row is a card")
                .isEqualTo("true");
        assertThat(chromium.evaluate("[...document.querySelectorAll('#tables .scroll')]"
                        + ".filter(e => e.scrollWidth > e.clientWidth).length + ''"))
                .as("tables that scroll sideways")
                .isEqualTo("0");
    }

    private static List<PicturedPod> manyPods() {
        List<PicturedPod> pods = new ArrayList<>();
        pods.add(SamplePicture.pod("client-1", "n1", 0, "10.244.1.2", true));
        for (int i = 1; i < 12; i++) {
            pods.add(SamplePicture.pod("web-" + i, "n1", i, "10.244.1." + (i + 2), i % 4 != 0));
        }
        pods.add(
                SamplePicture.pod("a-name-that-is-longer-than-any-box-for-it-0123456789", "n2", 1, "10.244.2.9", true));
        return pods;
    }

    private void showFlows(Flow... shown) throws Exception {
        flows.set(new FlowList(System.nanoTime(), shown.length, List.of(shown)));
        click("#as-flows");
        await("document.querySelectorAll('#flow-rows tr').length === " + shown.length);
    }

    private FlowList flows() {
        return Objects.requireNonNull(flows.get());
    }

    private void key(String name) throws Exception {
        chromium.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: '" + name
                + "', bubbles: true})); ''");
    }

    private String focused() throws Exception {
        return chromium.evaluate("document.activeElement.dataset.key");
    }

    private String box(String key) throws Exception {
        return chromium.evaluate(
                "JSON.stringify(document.querySelector('[data-key=\"" + key + "\"]').getBoundingClientRect())");
    }
}
