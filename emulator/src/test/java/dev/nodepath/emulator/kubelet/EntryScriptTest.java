package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a manifest says reaches a container's process as it is, and is never text of a shell. */
@Tag("netns")
class EntryScriptTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The root's overlay needs another file system than the root's. */
    private static final Path RUN = Path.of("/run");

    private Path folder = RUN;
    private Path attacked = RUN;

    @BeforeEach
    void prepare() throws IOException {
        folder = Files.createTempDirectory(RUN, "entry");
        attacked = folder.resolve("attacked");
    }

    @AfterEach
    void noneWasAttacked() throws IOException {
        assertThat(attacked).doesNotExist();
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Each would make the file {@code attacked} if a shell read it. */
    private static List<String> hostile() {
        return List.of(
                "A;touch @;B",
                "$(touch @)",
                "`touch @`",
                "'; touch @; '",
                "\"; touch @; \"",
                "'\\''; touch @ #",
                "x\ntouch @\n",
                "x\n",
                "x && touch @",
                "x | touch @ &",
                "${IFS}$(touch${IFS}@)",
                "-S touch @",
                "--help",
                "-",
                "--",
                " ",
                "*",
                "~",
                "\\",
                "a=b",
                "spring.datasource.url",
                "with-dash",
                "BASH_FUNC_mount%%",
                "\t\r\u007f");
    }

    @Test
    void takesNamesAndValuesOfVariablesAsTheyAre() throws Exception {
        Map<String, String> hostile = new LinkedHashMap<>();
        for (String text : hostile()) {
            hostile.put(attack(text).replace("=", ":"), attack(text) + "=" + attack(text));
        }
        Path enter = script(List.of()).write(variables(hostile), "");
        List<String> expected = new ArrayList<>();
        hostile.forEach((name, value) -> expected.add(name + "=" + value));
        // The kernel's copy of what the process was given.
        assertThat(List.of(run(enter, "cat", "/proc/self/environ").split("\0"))).containsAll(expected);
    }

    @Test
    void givesNothingOfWhoeverRunsIt() throws Exception {
        Path enter = script(List.of()).write(Map.of("PATH", "/usr/bin:/bin", "a.b-c", "d"), "");
        ProcessBuilder builder = builder(enter, "cat", "/proc/self/environ");
        builder.environment().putAll(Map.of("TOKEN", "secret", "HOME", "/home/of/somebody", "TERM", "vt100"));
        assertThat(output(builder).split("\0")).containsExactlyInAnyOrder("PATH=/usr/bin:/bin", "a.b-c=d");
    }

    @Test
    void takesWordsOfACommandAsTheyAre() throws Exception {
        List<String> words = hostile().stream().map(this::attack).toList();
        List<String> command = new ArrayList<>(List.of("printf", "%s|", "--"));
        command.addAll(words);
        Path enter = script(List.of()).write(variables(Map.of()), "");
        assertThat(run(enter, command.toArray(String[]::new))).isEqualTo("--|" + String.join("|", words) + "|");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A=B", "-", "--help", "$(touch @)", "x\ntouch @\n"})
    void takesTheNameOfAProgramAsItIs(String text) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        String name = attack(text).replace('/', ':');
        Files.copy(Path.of("/bin/true"), bin.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        Path enter = script(List.of()).write(variables(Map.of("PATH", bin.toString())), "");
        assertThat(run(enter, name)).isEmpty();
    }

    @Test
    void takesPathsAsTheyAre() throws Exception {
        List<PodVolumes.Mount> mounts = new ArrayList<>();
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", "cat -- \"$@\"; touch -- \"$@\" 2>&1 | wc -l", "sh"));
        StringBuilder expected = new StringBuilder();
        for (String text : hostile()) {
            String name = attack(text).replace('/', ':');
            Path source = Files.createDirectories(folder.resolve("volumes").resolve(name));
            Files.writeString(source.resolve("file"), "content of " + name);
            // A path that the machine has, and one that it does not have.
            Path has = Files.createDirectories(folder.resolve("machine").resolve(name));
            for (String path : List.of(has.toString(), "/not/on/this/machine/" + name)) {
                mounts.add(new PodVolumes.Mount(source, path, true));
                command.add(path + "/file");
                expected.append("content of ").append(name);
            }
        }
        Path enter = script(mounts).write(variables(Map.of()), "");
        // Each touch fails, with a line: they are read-only.
        String output = run(enter, command.toArray(String[]::new));
        assertThat(output).startsWith(expected);
        assertThat(Integer.parseInt(output.substring(expected.length()).strip()))
                .isGreaterThanOrEqualTo(mounts.size());
    }

    @Test
    void takesMountsOfTheMachineAsTheyAre() throws Exception {
        // The kernel's list of mounts is a line each, with blanks between its fields.
        Path mounted = Files.createTempDirectory(Path.of("/var/tmp"), "a b\t\\040\n");
        try {
            output(new ProcessBuilder("mount", "-t", "tmpfs", "tmpfs", mounted.toString()));
            try {
                Files.writeString(mounted.resolve("file"), "content");
                Path source = Files.createDirectories(folder.resolve("volume"));
                Path enter = script(List.of(new PodVolumes.Mount(source, "/not/on/this/machine", false)))
                        .write(variables(Map.of()), "");
                assertThat(run(enter, "cat", mounted.resolve("file").toString()))
                        .isEqualTo("content");
            } finally {
                output(new ProcessBuilder("umount", mounted.toString()));
            }
        } finally {
            Files.delete(mounted);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"A;touch @;B", "-P", "x\ntouch @\n"})
    void takesTheWorkingFolderAsItIs(String text) throws Exception {
        String name = attack(text).replace('/', ':');
        Path here = Files.createDirectories(folder.resolve("machine").resolve(name));
        Path enter = script(List.of()).write(variables(Map.of()), here.toString());
        assertThat(run(enter, "pwd")).isEqualTo(here + "\n");
    }

    @Test
    void noVariableHidesTheProgramsThatEnter() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        for (String program :
                List.of("mount", "hostname", "env", "unshare", "nsenter", "chroot", "setsid", "sh", "bash")) {
            Path fake = Files.writeString(bin.resolve(program), "#!/bin/sh\n/bin/touch " + attacked + "\n");
            assertThat(fake.toFile().setExecutable(true)).isTrue();
        }
        Path enter = script(List.of(new PodVolumes.Mount(bin, "/not/on/this/machine", false)))
                .write(
                        variables(Map.of(
                                "PATH",
                                bin.toString(),
                                "BASH_ENV",
                                bin.resolve("sh").toString())),
                        "");
        assertThat(run(enter, "/bin/echo", "it")).isEqualTo("it\n");
    }

    @Test
    void refusesANul() {
        assertThatThrownBy(() -> script(List.of()).write(variables(Map.of("A", "x\0B=y")), ""))
                .isInstanceOf(IOException.class)
                .hasMessage("\"A=x\\0B=y\": has a NUL (expected: text without one)");
    }

    @Test
    void endsAsItsCommandDoes() throws Exception {
        Path enter = script(List.of()).write(variables(Map.of()), "");
        assertThat(exitCode(enter, "sh", "-c", "exit 7")).isEqualTo(7);
        assertThat(exitCode(enter, "no-such-program")).isEqualTo(127);
        assertThat(run(enter, "hostname")).isEqualTo("desk\n");
    }

    private EntryScript script(List<PodVolumes.Mount> mounts) throws IOException {
        Path container = Files.createTempDirectory(folder, "container");
        return new EntryScript(container, Path.of("/proc/self/ns/net"), "desk", mounts);
    }

    private String attack(String text) {
        return text.replace("@", attacked.toString());
    }

    /** All variables, after those that every container has. */
    private static Map<String, String> variables(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(Map.of("PATH", System.getenv("PATH")));
        all.putAll(more);
        return all;
    }

    private static String run(Path enter, String... command) throws IOException, InterruptedException {
        return output(builder(enter, command));
    }

    private static String output(ProcessBuilder command) throws IOException, InterruptedException {
        ShortCommand run = ShortCommand.run(command.redirectErrorStream(true), "", LIMIT);
        assertThat(run.exitCode()).as(run.output()).isZero();
        return run.output();
    }

    private static int exitCode(Path enter, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = builder(enter, command).redirectError(ProcessBuilder.Redirect.DISCARD);
        return ShortCommand.run(builder, "", LIMIT).exitCode();
    }

    private static ProcessBuilder builder(Path enter, String... command) {
        List<String> words = new ArrayList<>(List.of(enter.toString()));
        words.addAll(List.of(command));
        return new ProcessBuilder(words);
    }
}
