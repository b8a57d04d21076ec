package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page for readers without a mouse or without sight: real keys, and the tree that a screen reader gets. */
class PageAccessibilityTest extends BrowserTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** More than the page has to focus. */
    private static final int KEYS_MAX = 200;

    /** Roles that a reader can act on, which need a name. */
    private static final Set<String> CONTROLS =
            Set.of("button", "textbox", "searchbox", "combobox", "checkbox", "link", "slider", "radio");

    private final LivePage page = new LivePage(InstantSource.system());
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

    @Override
    PageServer serve(Path folder) {
        return new PageServer(page, this::act, () -> new FlowList(1, 0, List.of()), SECRET, HttpServerCodec::new);
    }

    @BeforeEach
    void open() throws Exception {
        page.show(SamplePicture.small());
        load("");
        await("document.querySelectorAll('.pod').length === 3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"picture", "tables", "flows"})
    void everyControlHasANameInTheTree(String view) throws Exception {
        chromium.evaluate("view('" + view + "'); select('pod:web-1'); ''");

        List<String> names = new ArrayList<>();
        List<String> nameless = new ArrayList<>();
        for (JsonNode node : JSON.readTree(chromium.accessibilityTree()).at("/result/nodes")) {
            String role = node.at("/role/value").asText();
            String name = node.at("/name/value").asText();
            if (!node.path("ignored").asBoolean() && CONTROLS.contains(role)) {
                names.add(role + " " + name);
                if (name.isBlank()) {
                    nameless.add(node.toString());
                }
            }
        }

        assertThat(nameless).isEmpty();
        assertThat(names).contains("button Send", "combobox From", "button Set not ready");
        if (view.equals("picture")) {
            assertThat(names)
                    .anyMatch(name ->
                            name.startsWith("button node n2, ready, 172.30.0.12, iptables mode, 8 Service ports"))
                    .contains(
                            "button pod web-2, ready, node n2, 10.244.2.2, serves web",
                            "button Service web, 10.96.0.20, ports 80 and node port 30080/tcp, 2 of 2 endpoints ready");
        }
    }

    @Test
    void theTabKeyReachesEveryControlAndShowsWhereItIs() throws Exception {
        chromium.evaluate("select('pod:web-1'); document.body.focus(); ''");
        String wanted = chromium.evaluate(
                "window.reachable = () => [...document.querySelectorAll('button, input, select, summary, a[href]')]"
                        + ".filter(e => e.checkVisibility() && !e.disabled); String(reachable().length)");

        Set<String> reached = new LinkedHashSet<>();
        List<String> unseen = new ArrayList<>();
        for (int i = 0; i < KEYS_MAX; i++) {
            chromium.press("Tab", 9, "");
            String at = chromium.evaluate("String(reachable().indexOf(document.activeElement))");
            if (!at.equals("-1") && !reached.add(at)) {
                break;
            }
            if (!at.equals("-1")
                    && chromium.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                            .equals("none")) {
                unseen.add(chromium.evaluate("document.activeElement.outerHTML"));
            }
        }

        assertThat(reached).hasSize(Integer.parseInt(wanted));
        assertThat(unseen).isEmpty();
    }

    @Test
    void aPacketIsSentAndAPodKilledByKeysAlone() throws Exception {
        chromium.evaluate("$('probe-to').focus(); ''");
        chromium.press("Enter", 13, "\r");
        assertThat(asked.poll(5, TimeUnit.MINUTES)).isEqualTo("probe {\"from\":\"client-1\",\"to\":\"web:80\"}");

        chromium.evaluate("document.querySelector('[data-key=\"pod:web-1\"]').focus(); ''");
        chromium.press("Enter", 13, "\r");
        Eventually.isTrue(
                "its sheet", () -> chromium.evaluate("$('about').textContent").contains("10.244.1.3"));
        chromium.evaluate(
                "[...document.querySelectorAll('#about button')].find(e => e.textContent === 'Kill the pod').focus(); ''");
        chromium.press(" ", 32, " ");
        assertThat(asked.poll(5, TimeUnit.MINUTES)).isEqualTo("kill {\"pod\":\"web-1\"}");
    }

    private JsonNode act(String name, JsonNode what) {
        asked.add(name + " " + what);
        return JsonNodeFactory.instance
                .objectNode()
                .put("done", true)
                .set("steps", JsonNodeFactory.instance.arrayNode());
    }
}
