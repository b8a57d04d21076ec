package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Types the commands of docs/guestbook.md line by line, and checks their output. */
@Tag("netns")
@Timeout(900)
class GuestbookTest {
    private static final Path HOME = Path.of(System.getProperty("nodepath.home"));
    private static final String PROMPT = "$ ";

    /** The pattern for an output, by a part of the command; other output differs from run to run. */
    private static final Map<String, Pattern> EXPECTED = Map.of(
            "up --nodes 3", Pattern.compile("3 nodes are up"),
            "apply -f", Pattern.compile("deployment.apps/frontend created"),
            "get pods -o wide", Pattern.compile("frontend-\\S+ +1/1 +Running"),
            "cat /etc/resolv.conf", Pattern.compile("nameserver 10.96.0.10\nsearch guestbook.svc.cluster.local"),
            "curl -s http://frontend", Pattern.compile("\\{\"pod\":\"frontend-"),
            "curl -s http://store-1.store", Pattern.compile("\\{\"pod\":\"store-1\""),
            "30088", Pattern.compile("\\{\"pod\":\"frontend-\\S+\",\"source\":\"(172.30.0.13|10.244.3.1)\""),
            "--tail=2", Pattern.compile("\\{\"pod\":\"frontend-"),
            "grep -c failed", Pattern.compile("^0\n"));

    @TempDir
    private Path folder;

    @AfterEach
    void end() throws IOException, InterruptedException {
        new NodepathScript(folder).run("down");
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }

    @Test
    void everyLineOfThePageWorks() throws IOException, InterruptedException {
        List<String> commands = Files.readAllLines(HOME.resolve("docs/guestbook.md")).stream()
                .filter(line -> line.startsWith(PROMPT))
                .map(line -> line.substring(PROMPT.length()))
                .toList();
        assertThat(commands).hasSizeGreaterThan(15);
        int checked = 0;
        for (String command : commands) {
            NodepathScript.Result result = NodepathScript.runLine(folder, HOME, command);
            assertThat(result.exitCode()).as(command + "\n" + result.output()).isZero();
            for (Map.Entry<String, Pattern> expected : EXPECTED.entrySet()) {
                if (command.contains(expected.getKey())) {
                    checked++;
                    assertThat(result.output())
                            .as(() -> command + "\n" + visitorsFailures())
                            .containsPattern(expected.getValue());
                }
            }
        }
        assertThat(checked).isEqualTo(EXPECTED.size());
    }

    /** The output of curl before each failed request. */
    private String visitorsFailures() {
        try {
            String logs = "scripts/nodepath kubectl -n guestbook logs deployment/visitor -c visitor";
            return NodepathScript.runLine(folder, HOME, logs + " | grep -B1 failed")
                    .output();
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }
}
