package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** People at the input of containers, by {@code kubectl run -i}, {@code attach} and {@code debug}. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
@Timeout(900)
class AttachTest {
    private static final Path HOME = Path.of(System.getProperty("nodepath.home"));

    @TempDir
    private static Path folder;

    private static NodepathScript nodepath = new NodepathScript(Path.of("/"));

    @BeforeAll
    static void share(SharedCluster shared) throws Exception {
        shared.whole();
        nodepath = shared.script();
    }

    @Test
    void argumentsOfAnImageAreACommandThatReadsFromTheClient() throws Exception {
        NodepathScript.Result result = line("printf 'echo in-$((1+1))\\nhostname\\nexit 3\\n' |"
                + " scripts/nodepath kubectl run typed --rm -i --restart=Never --image=busybox -- sh");
        assertThat(result.output()).contains("in-2\ntyped\n").doesNotContain("ignores");
        assertThat(result.exitCode()).isEqualTo(3);
    }

    /** Without a command a shell is there. It steers jobs only if the terminal is its session's own. */
    @Test
    void aShellWaitsInATerminal() throws Exception {
        Path typed = Files.writeString(folder.resolve("typed"), "sleep 98761 &\njobs\nkill %1\nexit 5\n");
        NodepathScript.Result result = line(
                "script --quiet --return /dev/null <" + typed + " --command"
                        + " 'stty cols 100 rows 40; scripts/nodepath kubectl run seated --rm -it --restart=Never --image=busybox'");
        assertThat(result.output())
                .contains("Running")
                .doesNotContain("job control")
                .doesNotContain("ignores");
        assertThat(result.exitCode()).isEqualTo(5);
    }

    /** A shell such as dash gives its terminal back before it ends. */
    @ParameterizedTest
    @ValueSource(strings = {"kubectl exec -it", "exec"})
    void aShellInATerminalEndsWithItsOwnCode(String exec) throws Exception {
        Path typed = Files.writeString(folder.resolve("typed"), "sleep 98757 &\njobs\nkill %1\nexit 5\n");
        NodepathScript.Result result = line("script --quiet --return /dev/null <" + typed
                + " --command 'scripts/nodepath " + exec + " web-1 -- sh'");
        assertThat(result.output()).contains("Running").doesNotContain("Cannot set");
        assertThat(result.exitCode()).isEqualTo(5);
    }

    /** Its target has a command, or is the built-in server. */
    @Test
    void aContainerThatIsAddedSeesItsTargetAndEndsWithThePod() throws Exception {
        kubectl("run watched --image=busybox -- sleep 98760");
        kubectl("wait --for=condition=Ready pod/watched --timeout=120s");
        String look = "printf 'cat /proc/1/cmdline; hostname; exit\\n' | scripts/nodepath kubectl debug -i ";
        assertThat(line(look + "watched --image=none --target=watched -- sh").output())
                .contains("sleep\0" + "98760\0watched\n");
        assertThat(line(look + "web-1 --image=none --target=server -- sh").output())
                .contains("server\0web-1\n");
        assertThat(line(look + "web-1 --image=none -- sh").output()).contains("sh\0web-1\n");

        kubectl("debug watched --image=none --container=stays -- sleep 98759");
        Eventually.isTrue(
                "runs",
                () -> kubectl("get pod watched -o jsonpath={.status.ephemeralContainerStatuses[*].state}")
                        .contains("running"));
        assertThat(kubectl("get pod watched")).contains("1/1");
        assertThat(nodepath.run("exec", "-c", "stays", "watched", "--", "hostname")
                        .output())
                .isEqualTo("watched\n");
        kubectl("delete pod watched --grace-period=1");
        assertThat(NodepathScript.runLine(folder, HOME, "pgrep -fc 'sleep 9875[9]'")
                        .output())
                .isEqualTo("0\n");
    }

    /** A program with a person's terminal could type into it. */
    @Test
    void execGivesAPodATerminalOfItsOwnOrNone() throws Exception {
        String device = "stat -Lc %t:%T /proc/self/fd/0";
        String seen = line("script --quiet --return /dev/null </dev/null --command '" + device
                        + "; scripts/nodepath exec web-1 -- sh -c \"" + device + "; exit 7\"; echo $?'")
                .output();
        // The end of the input shows as ^D or ^@.
        Matcher devices = Pattern.compile("(88:\\w+)\\s\\W*(88:\\w+)\\s+7\\s+").matcher(seen);
        assertThat(devices.matches()).as(seen).isTrue();
        assertThat(devices.group(1)).isNotEqualTo(devices.group(2));

        String controls = "cut -d \" \" -f 7 /proc/self/stat";
        assertThat(line("script --quiet --return /dev/null --command '" + controls + "; scripts/nodepath exec web-1 -- "
                                + controls + " | cat'")
                        .output())
                .matches("[1-9]\\d*\\s+0\\s+");
    }

    /** A process with a file's descriptor can open the file anew for writing, and change its mode. */
    @Test
    void execGivesAPodNoFileOfItsCaller() throws Exception {
        Path input = Files.writeString(folder.resolve("in"), "hello\n");
        Path output = Files.writeString(folder.resolve("out"), "kept\n");
        Path errors = Files.writeString(folder.resolve("err"), "kept\n");
        for (Path each : List.of(input, output, errors)) {
            Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-------"));
        }
        String change = "for each in 0 1 2; do : > /proc/self/fd/$each; chmod 4777 /proc/self/fd/$each; done";
        line("scripts/nodepath exec web-1 -- sh -c '" + change + "; cat; echo wrong >&2; exec >&- 2>&-' <" + input
                + " >>" + output + " 2>>" + errors);
        assertThat(input).hasContent("hello\n");
        assertThat(output).hasContent("kept\nhello\n");
        assertThat(errors).hasContent("kept\nwrong\n");
        for (Path each : List.of(input, output, errors)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                    .isEqualTo("rw-------");
        }
    }

    /** The octets of a file come back, and the call does not wait for input that the command ignores. */
    @Test
    void execCopiesInputAndOutput() throws Exception {
        Path octets = folder.resolve("octets");
        assertThat(line("head -c 3000000 /dev/urandom >" + octets + "; scripts/nodepath exec web-1 -- cat <" + octets
                                + " | cmp - " + octets + " && echo same")
                        .output())
                .isEqualTo("same\n");
        assertThat(line("sleep 98758 | { scripts/nodepath exec web-1 -- sh -c 'echo out; exit 3'; code=$?"
                        + "; pkill -P $$ sleep; exit $code; }"))
                .isEqualTo(new NodepathScript.Result(3, "out\n"));
    }

    /** A reader or a writer of its output that is left does not keep the command. */
    @Test
    void execEndsWithTheCommandOrItsReader() throws Exception {
        String left = "(sleep 98757; echo late) & echo $!";
        String pid = line("scripts/nodepath exec web-1 -- sh -c '" + left + "'").output();
        assertThat(pid).matches("\\d+\n");
        assertThat(nodepath.ask("exec", "web-1", "--", "kill", pid.strip()).exitCode())
                .isZero();
        assertThat(line("scripts/nodepath exec web-1 -- yes | head -1; echo ${PIPESTATUS[0]}")
                        .output())
                .isEqualTo("y\n141\n");
        assertThat(line("coproc E { exec scripts/nodepath exec web-1 -- sh -c 'trap \"echo bye; exit\" TERM; echo on;"
                                + " while :; do sleep 0.1; done' 2>/dev/null; }; exec 4<&${E[0]}; read -r on <&4;"
                                + " kill $E_PID; cat <&4")
                        .output())
                .isEqualTo("bye\n");
    }

    /** A terminal has one stream for both, so a user who separates them gets no terminal. */
    @Test
    void execKeepsErrorsApartFromTheOutput() throws Exception {
        Path errors = folder.resolve("errors");
        String seen =
                line("script --quiet --return /dev/null </dev/null --command 'scripts/nodepath exec web-1 -- sh -c"
                                + " \"echo out; echo wrong >&2\" 2>" + errors + "'")
                        .output();
        assertThat(seen).contains("out").doesNotContain("wrong");
        assertThat(errors).hasContent("wrong");
    }

    /** The kernel stops a program that sets up its terminal from the background. */
    @Test
    void execEndsInTheBackgroundToo() throws Exception {
        assertThat(
                        line("script --quiet --return /dev/null </dev/null --command 'timeout 60 scripts/nodepath exec web-1 --"
                                        + " echo out; echo $?'")
                                .output())
                .containsPattern("out\\s+0\\s+");
    }

    @Test
    void aServerHasNoInput() throws Exception {
        assertThat(kubectl("attach web-2")).contains("attach: the built-in server serves this container");
    }

    private static NodepathScript.Result line(String line) throws IOException, InterruptedException {
        return NodepathScript.runLine(folder, HOME, line);
    }

    private static String kubectl(String arguments) throws IOException, InterruptedException {
        return nodepath.ask(("kubectl " + arguments).split(" ", -1)).output();
    }
}
