package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PageRates;
import dev.nodepath.page.Rate;
import dev.nodepath.page.Rates;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The traffic of links in a browser. Its pictures are left in {@code target/pages} for a person to look at. */
class RatesInBrowserTest extends BrowserTest {
    private static final Rate IDLE = new Rate(0, 0, 0, 0);
    private static final Map<String, Rate> BUSY = Map.of(
            "client:client", new Rate(90, 90, 1, 1),
            "node:n1", new Rate(1_537_500, 137_500, 1020, 13),
            "node:n2", new Rate(137_500, 15_375_000, 900, 10_250),
            "pod:client-1", new Rate(15_375_000, 137_500, 10_250, 900),
            "pod:web-1", IDLE,
            "pod:web-2", new Rate(137_500, 153_750_000, 900, 102_500));

    private final LivePage page = new LivePage(InstantSource.system());
    private volatile Map<String, Rate> told = Map.of();

    private final class Told implements PageRates {
        @Override
        public Rates read() {
            return new Rates(1, told);
        }

        @Override
        public void rest() {
            // Nothing is kept.
        }
    }

    @Override
    PageServer serve(Path folder) {
        PageServer server = new PageServer(
                page,
                (name, what) -> JsonNodeFactory.instance.objectNode(),
                () -> new FlowList(1, 0, List.of()),
                SECRET,
                HttpServerCodec::new);
        server.tell(new Told());
        return server;
    }

    @BeforeEach
    void open() throws Exception {
        told = Map.of();
        page.show(SamplePicture.small());
        desktop();
        load("");
        await("document.querySelectorAll('#trunks g').length === 6");
    }

    @Test
    void anEdgeIsAsWideAsItsRateAndIdleAfterwards() throws Exception {
        assertThat(edges()).isEqualTo("client=,n1=,n2=,client-1=,web-1=,web-2=");

        told = BUSY;
        await("document.querySelector('#trunks g[class]') !== null");
        assertThat(edges()).isEqualTo("client=,n1=w2,n2=w3,client-1=w3,web-1=,web-2=w4");
        assertThat(widths()).isEqualTo("1.5px,3.5px,5px,5px,1.5px,7px");

        told = Map.of("node:n1", IDLE, "pod:web-2", new Rate(124, 124, 1, 1));
        await("!document.querySelector('#trunks g[class]')");
        assertThat(widths()).isEqualTo("1.5px,1.5px,1.5px,1.5px,1.5px,1.5px");
    }

    @Test
    void aTipTurnsOnlyWhenTheOtherWayCarriesAQuarterMore() throws Exception {
        assertThat(isAway(1_000_000, 900_000)).isEqualTo("false");
        assertThat(isAway(1_000_000, 1_200_000)).isEqualTo("false");
        assertThat(isAway(1_000_000, 1_300_000)).isEqualTo("true");
        assertThat(isAway(1_200_000, 1_000_000)).isEqualTo("true");
        assertThat(isAway(1_300_000, 1_000_000)).isEqualTo("false");
    }

    /** Whether the tip of n1 points to the switch after these bytes. */
    private String isAway(long received, long sent) throws Exception {
        told = Map.of("node:n1", new Rate(received, sent, 1, 1));
        await("String((rates.of['node:n1'] || []).slice(0, 2)) === '" + received + "," + sent + "'");
        double toSwitch = gap("node:n1", "drawn.get('switch')", "bottom", "top");
        double toNode = gap("node:n1", "drawn.get('node:n1').firstChild", "top", "bottom");
        return String.valueOf(toSwitch < toNode);
    }

    @Test
    void aStreamThatIsSilentTellsNoRates() throws Exception {
        told = BUSY;
        await("document.querySelector('#trunks g[class]') !== null");

        told = Map.of();

        await("!document.querySelector('#trunks g[class]')");
    }

    @Test
    void nothingOnThePageMoves() throws Exception {
        chromium.evaluate("select('pod:web-2'); ''");
        await("document.querySelector('#about .rate') !== null");
        String before = boxes();

        told = BUSY;
        await("document.querySelector('#about .rate').textContent.includes('Gb/s')");

        assertThat(boxes()).isEqualTo(before);
    }

    @Test
    void thePanelTellsTheNumbersInWords() throws Exception {
        told = BUSY;
        chromium.evaluate("select('node:n1'); document.querySelector('#about button').focus();"
                + " document.querySelector('#about dl').mark = 'kept'; ''");
        await("document.querySelector('#about .rate').textContent !== 'not measured'");
        assertThat(chromium.evaluate("document.querySelector('#about .rate').textContent"))
                .isEqualTo("12.3 Mb/s in, 1.1 Mb/s out\n1020 in, 13 out, packets/s");

        told = Map.of("node:n1", new Rate(80, 138, 1, 2));
        await(
                "document.querySelector('#about .rate').textContent === '640 b/s in, 1.1 kb/s out\\n1 in, 2 out, packets/s'");
        assertThat(chromium.evaluate("document.querySelector('#about dl').mark"))
                .as("the panel was not made anew")
                .isEqualTo("kept");
        assertThat(chromium.evaluate("document.activeElement.closest('#about') ? 'kept' : 'lost'"))
                .isEqualTo("kept");

        chromium.evaluate("select('client:client'); ''");
        await("document.querySelector('#about .rate').textContent === 'not measured'");
    }

    /** A screen reader finds the numbers in the tables, and does not read each change. */
    @Test
    void theTablesHaveTheNumbersAndNothingTalks() throws Exception {
        chromium.evaluate("view('tables'); ''");
        await("document.querySelectorAll('#tables .rate').length === 5");
        chromium.evaluate("document.querySelector('#tables table').mark = 'kept';"
                + " window.talk = 0; new MutationObserver(() => window.talk++).observe($('live'),"
                + " {childList: true, characterData: true, subtree: true}); ''");
        told = BUSY;

        await("document.querySelector('[data-rate=\"pod:web-2\"]').textContent === "
                + "'1.1 Mb/s in, 1.2 Gb/s out\\n900 in, 102500 out, packets/s'");
        assertThat(chromium.evaluate("document.querySelector('[data-rate=\"pod:web-1\"]').textContent"))
                .isEqualTo("0 b/s in, 0 b/s out\n0 in, 0 out, packets/s");
        assertThat(chromium.evaluate("document.querySelector('#tables table').mark"))
                .isEqualTo("kept");
        assertThat(chromium.evaluate("String(window.talk)")).isEqualTo("0");
        assertThat(chromium.evaluate("document.querySelector('.rate').closest('[aria-live]') ? 'talks' : 'silent'"))
                .isEqualTo("silent");
        assertThat(problems()).isEmpty();
    }

    @Test
    void aReaderWhoWantsNoMotionSeesTheDirectionByItsTip() throws Exception {
        told = BUSY;
        await("document.querySelector('#trunks g[class]') !== null");
        assertThat(motion("node:n1")).isEqualTo("inline flow");
        assertThat(motion("pod:web-1")).startsWith("none");

        chromium.reduceMotion();

        assertThat(motion("node:n1")).isEqualTo("inline none");
        // A node's received bytes point to its eth0, its sent bytes to the switch.
        assertThat(gap("node:n1", "drawn.get('node:n1').firstChild", "top", "bottom"))
                .isLessThan(2);
        assertThat(gap("node:n2", "drawn.get('switch')", "bottom", "top")).isLessThan(2);
    }

    @ParameterizedTest
    @CsvSource({
        "rates-phone, 360, 1400, light, picture",
        "rates-phone-dark, 360, 1400, dark, picture",
        "rates, 1280, 900, light, picture",
        "rates-dark, 1280, 900, dark, picture",
        "rates-wide, 2560, 1200, light, picture",
        "rates-wide-dark, 2560, 1200, dark, picture",
        "rates-tables, 1280, 900, dark, tables"
    })
    void isReadable(String name, int width, int height, String scheme, String view) throws Exception {
        chromium.resize(width, height, 1);
        chromium.media("screen", scheme);
        told = BUSY;
        chromium.evaluate("select('pod:web-2'); view('" + view + "'); ''");
        await("document.querySelector('#about .rate').textContent.includes('Gb/s')");

        assertReadable(name);
    }

    private String edges() throws Exception {
        return chromium.evaluate("[...document.querySelectorAll('#trunks g')].map(each =>"
                + " each.dataset.edge.split(':')[1] + '=' + (each.getAttribute('class') || '')).join()");
    }

    private String widths() throws Exception {
        return chromium.evaluate("[...document.querySelectorAll('#trunks .cable')].map(each =>"
                + " getComputedStyle(each).strokeWidth).join()");
    }

    private String boxes() throws Exception {
        return chromium.evaluate(
                "[...document.querySelectorAll('#picture button, #picture .bar, #about dt')]"
                        + ".map(each => Object.values(each.getBoundingClientRect().toJSON()).map(Math.floor).join(' ')).join('; ')");
    }

    private String motion(String edge) throws Exception {
        return chromium.evaluate("(style => style.display + ' ' + style.animationName)"
                + "(getComputedStyle(document.querySelector('[data-edge=\"" + edge + "\"] .flow')))");
    }

    /** From a side of a box to a side of the edge's tip. */
    private double gap(String edge, String box, String side, String tipSide) throws Exception {
        return Double.parseDouble(chromium.evaluate("String(Math.abs(" + box + ".getBoundingClientRect()." + side
                + " - document.querySelector('[data-edge=\"" + edge + "\"] .tip').getBoundingClientRect()." + tipSide
                + "))"));
    }
}
