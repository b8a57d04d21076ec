package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.linux.Repetitions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same configurations for this plugin and Debian's bridge with host-local (1.1.1), each on a node of its own:
 * results and kernel state are the same, except for the differences in docs/decisions/cni-bridge.md.
 */
@Tag("netns")
class SideBySideTest {
    private static final long SEED = Long.getLong("nodepath.seed", 20261120L);
    private static final int ROUNDS = Repetitions.of(20, 40);

    /** A default route that is configured and implied; gateways in two IPv4 networks. */
    private static final Pattern WORK_HERE = Pattern.compile("file exists|already has an IP address different from");

    @TempDir
    Path directory;

    @BeforeAll
    static void needDebiansPlugins() {
        assertThat(KernelNode.DEBIAN.resolve("bridge"))
                .as("Debian package containernetworking-plugins")
                .isExecutable();
    }

    static Stream<Long> seeds() {
        return IntStream.range(0, ROUNDS).mapToObj(round -> SEED + round);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void comeToTheSame(long seed) throws Exception {
        GeneratedConfig generated = new GeneratedConfig(new Random(seed));
        Path theirDir = Files.createDirectory(directory.resolve("theirs"));
        Path ourDir = Files.createDirectory(directory.resolve("ours"));
        String theirConfig = generated.json(theirDir);
        String ourConfig = generated.json(ourDir);
        try (KernelNode theirs = new KernelNode("theirs");
                KernelNode ours = new KernelNode("ours")) {
            for (String command : List.of("ADD", "DEL", "DEL")) {
                Answer theirAnswer = theirs.debians(command, generated.arguments(), theirConfig);
                Answer ourAnswer = ours.ours(command, generated.arguments(), ourConfig);
                String what = command + " " + generated.arguments() + " " + ourConfig + "\ntheirs " + theirAnswer
                        + "\nours " + ourAnswer;
                if (command.equals("ADD") && theirAnswer.exitCode() != 0) {
                    checkFailure(ours, ourAnswer, theirAnswer, what);
                    return; // they differ in the leftovers of a failed ADD
                }
                assertThat(ourAnswer.exitCode()).as(what).isZero();
                assertThat(result(ourAnswer)).as(what).isEqualTo(result(theirAnswer));
                assertThat(ours.state()).as(what).isEqualTo(theirs.state());
                assertThat(files(ourDir)).as(what).isEqualTo(files(theirDir));
            }
        }
    }

    /** Only two things that make Debian's plugin fail work here. */
    private static void checkFailure(KernelNode ours, Answer ourAnswer, Answer theirAnswer, String what)
            throws Exception {
        boolean differs = WORK_HERE.matcher(theirAnswer.stdout()).find();
        assertThat(ourAnswer.exitCode()).as(what).isEqualTo(differs ? 0 : 1);
        if (!differs) {
            assertThat(ours.state()).as(what).noneMatch(line -> line.contains("veth"));
        }
    }

    /** A result without random parts. */
    private static String result(Answer answer) throws CniException {
        if (answer.stdout().isEmpty()) {
            return "";
        }
        JsonObject json = JsonParsing.object(answer.stdout().getBytes(StandardCharsets.UTF_8));
        CniResult result = ResultParser.parse(json);
        List<String> interfaces = new ArrayList<>();
        for (CniResult.Interface link : result.interfaces()) {
            boolean asked = link.mac().startsWith("02:00:00");
            interfaces.add(KernelNode.plain(link.name()) + " "
                    + (asked ? link.mac() : link.mac().length()) + " "
                    + !link.sandbox().isEmpty());
        }
        return json.string("cniVersion").orElse("") + interfaces + result.ips() + result.routes() + result.dns();
    }

    /** The content of host-local's folder; only our plugin has an index beside it. */
    private static List<String> files(Path dataDir) throws Exception {
        List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(dataDir)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile).sorted()::iterator) {
                if (!file.toString().contains("/.attachments/")) {
                    files.add(dataDir.relativize(file) + ": " + Files.readString(file));
                }
            }
        }
        return files;
    }
}
