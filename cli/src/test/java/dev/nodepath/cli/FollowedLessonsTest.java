package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.report.form.Chromium;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A reader who follows each lesson on the page of a real cluster, and types its commands, passes it. All lessons share
 * a cluster.
 */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
class FollowedLessonsTest {
    private static final Path HOME = Path.of(System.getProperty("nodepath.home"));
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LESSONS = 10;
    private static final String LOCAL = "externalTrafficPolicy: Local";
    private static final String CLUSTER = "externalTrafficPolicy: Cluster";

    @TempDir
    private static Path folder;

    private static SharedCluster cluster = SharedCluster.NONE;

    @TempDir
    private Path browser;

    private final List<Process> typed = new ArrayList<>();
    private Chromium chromium;

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @BeforeEach
    void openBrowser() throws Exception {
        chromium = new Chromium(browser);
        chromium.resize(1280, 900, 1);
    }

    @AfterEach
    void end() throws Exception {
        typed.forEach(FollowedLessonsTest::interrupt);
        chromium.close();
        cluster.script().ask("kubectl", "delete", "networkpolicy", "--all");
    }

    /** A mode, and the observed fact of each check, lesson by lesson. */
    static List<Arguments> observations() {
        Arguments iptables = arguments(
                "iptables",
                "sender pod | node | sender | node | refused silent | all | open refused | pod | silent answered silent | answered silent");
        Arguments nftables = arguments(
                "nftables",
                "sender pod | node | sender | node | refused refused | all | open refused | pod | silent answered silent | answered silent");
        Arguments userspace = arguments(
                "userspace",
                "node node | node | node | node | refused silent | none | open refused | node | silent answered silent | answered silent");
        return Repetitions.areWhole() ? List.of(iptables, nftables, userspace) : List.of(iptables);
    }

    @ParameterizedTest
    @MethodSource("observations")
    void aReaderWhoFollowsEachLessonPassesIt(String mode, String observed) throws Exception {
        cluster.whole(mode);
        chromium.open(cluster.page().link());
        await("model.client && model.pods.size > 0");

        List<String> seen = new ArrayList<>();
        for (int number = 1; number <= LESSONS; number++) {
            seen.add(follow(number));
        }

        assertThat(String.join(" | ", seen)).isEqualTo(observed);
        run("turnTo(0)");
        await("document.querySelector('#lessons').textContent.includes('10 of 10 done in " + mode + " mode')");
        assertThat(chromium.errors()).isEmpty();
    }

    @Test
    void theResultNamesThePoliciesThatRefuse() throws Exception {
        cluster.whole();
        chromium.open(cluster.page().link());
        await("model.client && model.pods.size > 0");
        type("scripts/nodepath kubectl apply -f docs/examples/deny-all.yaml");

        run("[probe.from, probe.to] = ['client-2', 'web-3:8080']; sendProbe()");
        sendUntil("document.querySelector('.verdict.silent')");

        assertThat(chromium.evaluate("document.querySelector('.verdict').textContent"))
                .startsWith(
                        "Nobody answered. Ingress: default/web-3 is isolated by default/deny-all; no rule of it allows default/client-2");
        assertThat(
                        chromium.evaluate(
                                "[...document.querySelectorAll('.steps li')].find(each => each.textContent.includes('Ingress')).textContent"))
                .startsWith("n2")
                .contains("isolated by default/deny-all; no rule of it allows default/client-2 (TCP port 8080).")
                .contains("the kernel says so too");
    }

    private String follow(int number) throws Exception {
        run("turnTo(" + number + ")");
        await("$('lessons').textContent.includes('Lesson " + number + " of') && document.querySelector('fieldset')");
        // The first choice, of every question: right or wrong, it is a prediction.
        run("document.querySelectorAll('fieldset label:first-of-type input').forEach(input => input.click())");
        JsonNode blocks = JSON.readTree(chromium.evaluate("JSON.stringify(lessons.list[lessons.at - 1].blocks)"));
        for (int index = 0; index < blocks.size(); index++) {
            JsonNode block = blocks.path(index);
            for (String line : block.path("code").asText().lines().toList()) {
                type(line);
            }
            if (block.has("check")) {
                pass(index, block.path("check"));
            }
        }
        String values = chromium.evaluate("lessonChecks().map(([, tried]) => tried.seen.value).join(' ')");
        typed.forEach(FollowedLessonsTest::interrupt);
        typed.clear();
        undo();
        return values;
    }

    private void pass(int index, JsonNode check) throws Exception {
        String subject = check.path("subject").asText();
        JsonNode policy = check.path("when");
        if (policy.path("kind").asText().equals("service")) {
            String state = policy.path("state").asText();
            assertThat(shown()).contains("set its " + state.replace(": ", " to ") + ".");
            choose(policy.path("name").asText(), state);
        }
        String box = "document.querySelector('[data-check=\"" + index + "\"]')";
        String judged = box + ".dataset.judged === 'right' || " + box + ".dataset.judged === 'wrong'";
        if (subject.equals("flow")) {
            await(box + ".textContent.includes('the connection is open. Now')");
        }
        if (!chromium.has(judged)) {
            run(box + ".querySelector('.fill').click()");
            if (subject.equals("packet")) {
                run("$('go').click()");
                sendUntil(judged);
            } else {
                press("Set not ready");
            }
        }
        await(judged);
    }

    /** A policy is in force a moment after the server has it. */
    private void sendUntil(String condition) {
        Eventually.isTrue(() -> chromium.evaluate("JSON.stringify(probe.answer)"), () -> {
            await("!probe.busy");
            if (chromium.has(condition)) {
                return true;
            }
            run("sendProbe()");
            return false;
        });
    }

    /** A command that keeps running is left running. */
    private void type(String line) throws Exception {
        if (line.contains("--rate")) {
            typed.add(new ProcessBuilder("bash", "-c", "exec " + line)
                    .directory(HOME.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(
                            Files.createTempFile(folder, "typed", ".txt").toFile())
                    .start());
            return;
        }
        NodepathScript.Result result = NodepathScript.runLine(folder, HOME, line);
        assertThat(result.exitCode()).as(line + ": " + result.output()).isZero();
    }

    /** Gives a Service a policy, such as {@code externalTrafficPolicy: Local}. */
    private void choose(String service, String policy) throws Exception {
        String before = chromium.evaluate("String(Math.max(...sorted('node').map(node => node.sync.at)))");
        run("if (selected !== 'service:" + service + "') select('service:" + service + "')");
        String[] parts = policy.split(": ", 2);
        String button = "[...document.querySelectorAll(\"#about [aria-label='" + parts[0]
                + "'] button\")].find(each => each.textContent === '" + parts[1] + "')";
        await(button + " && !" + button + ".disabled");
        run(button + ".click()");
        await("sorted('node').every(node => node.sync.at > " + before + ")");
    }

    private void undo() throws Exception {
        if (chromium.has("model.services.get('web').policies.includes('" + LOCAL + "')")) {
            assertThat(shown()).contains("Afterwards set it to Cluster again.");
            choose("web", CLUSTER);
        }
        String unready =
                chromium.evaluate("[...model.pods.values()].filter(pod => !pod.ready).map(pod => pod.id).join()");
        if (!unready.isEmpty()) {
            run("if (selected !== 'pod:" + unready + "') select('pod:" + unready + "')");
            press("Set ready");
            await("[...model.pods.values()].every(pod => pod.ready) && [...model.services.values()]"
                    + ".every(service => service.endpoints.every(each => each.state === 'ready'))");
        }
    }

    private void press(String text) throws Exception {
        String button =
                "[...document.querySelectorAll('#about button')].find(each => each.textContent === '" + text + "')";
        await(button + " && !" + button + ".disabled");
        run(button + ".click()");
    }

    private static void interrupt(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
    }

    private void run(String statement) throws Exception {
        chromium.evaluate(statement + "; ''");
    }

    private void await(String condition) throws Exception {
        Eventually.isTrue(
                Duration.ofMinutes(5), () -> condition + "; shown: " + shown(), () -> chromium.has(condition));
    }

    private String shown() {
        try {
            return chromium.evaluate("$('lessons').textContent");
        } catch (Exception e) {
            return e.toString();
        }
    }
}
