package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Types the commands of docs/packet-path.md, and looks for each shown line of output in the real output. */
@Tag("netns")
@Timeout(900)
class PacketPathTest {
    private static final Path HOME = Path.of(System.getProperty("nodepath.home"));
    private static final String PROMPT = "$ ";
    private static final String ELISION = "...";
    /** The remainder of such a block is typed into another shell. */
    private static final String OTHER_SHELL = "$ scripts/enclose sh";
    /** It goes on until it is interrupted. */
    private static final String ENDLESS = "conntrack -E";

    @TempDir
    private Path folder;

    private final Set<String> seen = new LinkedHashSet<>();
    private final List<String> missing = new ArrayList<>();

    @AfterEach
    void end() throws IOException, InterruptedException {
        new NodepathScript(folder).run("down");
        assertThat(NodepathScript.clusterProcesses()).isEmpty();
    }

    @Test
    void everyLineOfThePageIsTrue() throws IOException, InterruptedException {
        for (String part : List.of("scripts", "docs")) {
            Files.createSymbolicLink(folder.resolve(part), HOME.resolve(part));
        }
        int commands = 0;
        for (List<String> block : blocks()) {
            for (String line : block) {
                if (line.equals(OTHER_SHELL)) {
                    break;
                }
                if (line.startsWith(PROMPT)) {
                    commands++;
                    type(line.substring(PROMPT.length()));
                } else if (!line.equals(ELISION) && !line.isBlank() && !seen.contains(shape(line))) {
                    missing.add(line);
                }
            }
        }
        assertThat(commands).isGreaterThan(25);
        assertThat(missing).as("lines of the page that no command printed").isEmpty();
    }

    /** Its output is added to the earlier output: a block may show more of an earlier listing. */
    private void type(String command) throws IOException, InterruptedException {
        String typed = command.contains(ENDLESS) ? "timeout 3 " + command : command;
        NodepathScript.Result result = NodepathScript.runLine(folder, folder, typed);
        if (command.startsWith("scripts/nodepath up")) {
            assertThat(result.exitCode()).as(result.output()).isZero();
            seen.clear();
        }
        result.output().lines().map(PacketPathTest::shape).forEach(seen::add);
    }

    /**
     * The parts of a line that stay the same from run to run, unlike names, ports, counters and addresses of pods.
     */
    private static String shape(String line) {
        return line.replaceAll("KUBE-SEP-\\w+", "KUBE-SEP")
                .replaceAll("web-[123]\\b", "web-N")
                .replaceAll("(10\\.244\\.\\d+\\.\\d+|172\\.30\\.0\\.1[12])\\b", "ADDRESS")
                .replaceAll("(?<=[:=])\\d{3,}\\b", "N")
                .replaceAll("(?<![\\w.:])\\d+(\\.\\d+)?(?![\\w.])", "N")
                .replaceAll("(pid|fd)=\\d+", "$1=N")
                .replaceAll("elements = \\{|[,}]$", "")
                .replaceAll("\\s+", " ")
                .trim();
    }

    /** The lines of each block that shows a terminal. */
    private static List<List<String>> blocks() throws IOException {
        List<List<String>> blocks = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(HOME.resolve("docs/packet-path.md"))) {
            if (line.startsWith("```")) {
                inside = !inside;
                if (inside) {
                    blocks.add(new ArrayList<>());
                }
            } else if (inside) {
                blocks.get(blocks.size() - 1).add(line);
            }
        }
        return blocks;
    }
}
