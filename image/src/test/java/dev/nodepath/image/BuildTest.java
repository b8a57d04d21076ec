package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code scripts/build} in a checkout of stand-ins, with a Maven that builds nothing: when it builds, and its output.
 */
class BuildTest {
    private static final String RECORD = """
            #!/bin/sh
            echo "${0##*/} $*" >>"$CALLS"
            """;

    private static final String SOURCE = "node-agent/src/main/java/Agent.java";
    private static final String QUICK = "mvn -B -Dstyle.color=never -T 2 -Dquick package -pl !image";

    /** The output of Maven, with the escape sequences that no option of it suppresses. */
    private static final String BUILT = """
            printf '\\033[0m\\033[0m[INFO] Scanning for projects...\\n'
            echo 'Downloading from central: https://repo.maven.apache.org/maven2/a/b/1/b-1.pom'
            echo '[INFO] Building Nodepath: the CNI plugin 1.0          [9/15]'
            mkdir -p target/lib
            printf '\\033[0m'
            """;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path checkout;

    private record Run(int exitCode, String output, List<String> calls) {}

    @BeforeEach
    void checkout() throws IOException {
        checkout = folder.resolve("checkout");
        for (String script : List.of("build", "follow-place", "java-home", "nodepath")) {
            Files.createDirectories(checkout.resolve("scripts"));
            Files.copy(Home.DIRECTORY.resolve("scripts/" + script), checkout.resolve("scripts/" + script));
        }
        for (String script : List.of("archive", "archive-nodepath", "build-plugin", "nodepath-bridge")) {
            program(checkout.resolve("scripts/" + script), RECORD);
        }
        for (String file : List.of(
                "pom.xml",
                "node-agent/pom.xml",
                "node-agent/src/main/resources/agent.properties",
                "cli/src/main/cds/nodepath.classes",
                "cli/src/main/cds/nodepath-agent.classes",
                "cni-bridge/src/main/cds/nodepath-bridge.classes",
                "docs/lessons.md",
                "docs/design.md",
                "node-agent/src/test/java/AgentTest.java",
                SOURCE)) {
            write(checkout.resolve(file), "as it was\n");
        }
        maven(BUILT);
        java("17.0.15", List.of("java", "javac"));
    }

    @Test
    void buildsWhatRunsAloneAndSaysHowLongItTakes() throws Exception {
        Run run = build("--if-needed");

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.calls()).contains(QUICK, "build-plugin ", "archive-nodepath ");
        assertThat(run.output()).matches("""
                        build: building Nodepath \\(about \\d+ s, once; more while libraries are fetched\\)
                        build: built in \\d+ s
                        """);
    }

    /** A build that recorded the lists anew would have other bytes on another machine. */
    @Test
    void takesTheListsOfClassesFromTheSources() throws Exception {
        build();

        for (String list : List.of("nodepath.classes", "nodepath-agent.classes", "nodepath-bridge.classes")) {
            assertThat(checkout.resolve("target/lib/" + list)).content().isEqualTo("as it was\n");
        }
    }

    @Test
    void checksEverythingWhenAskedToEvenIfNothingChanged() throws Exception {
        build("--if-needed");

        assertThat(build("--all").calls()).contains("mvn -B -Dstyle.color=never -T 2 -DskipTests verify");
        assertThat(build("--if-needed").calls()).isEmpty();
    }

    @Test
    void writesNoEscapeSequences() throws Exception {
        assertThat(build().output()).doesNotContain("\u001b");
        assertThat(checkout.resolve("target/build.log"))
                .content()
                .startsWith("[INFO] Scanning for projects...\n")
                .doesNotContain("\u001b");
    }

    @Test
    void showsOnATerminalHowFarItIs() throws Exception {
        Run run = run("script", "-qefc", checkout.resolve("scripts/build").toString(), "/dev/null");

        assertThat(run.output())
                .contains(
                        "\r\u001b[Kbuild: fetching b-1.pom\r\u001b[Kbuild: 9/15 Nodepath: the CNI plugin",
                        "\r\u001b[Kbuild: built in ");
    }

    static Stream<Arguments> unchanged() {
        return Stream.of(
                arguments("nothing", ":"),
                arguments("times of sources", "find . -name '*.java' -exec touch {} +"),
                arguments("a document", "echo more >>docs/design.md"),
                arguments("a test", "echo more >>node-agent/src/test/java/AgentTest.java"),
                arguments("a source and back", "echo more >>%1$s; echo 'as it was' >%1$s".formatted(SOURCE)),
                arguments(
                        "a copy with its times", "cd .. && cp -a checkout copy && rm -r checkout && mv copy checkout"),
                arguments("a copy without them", "cd .. && cp -r checkout copy && rm -r checkout && mv copy checkout"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unchanged")
    void buildsNothingIfNoSourceChanged(String what, String change) throws Exception {
        build();

        change(change);

        Run run = build("--if-needed");
        assertThat(run.calls()).as(what).isEmpty();
        assertThat(run.output()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mv checkout moved", "cp -r checkout moved", "cp -a checkout moved"})
    void makesOnlyTheArchivesAnewElsewhere(String move) throws Exception {
        build();

        change("cd .. && " + move);
        checkout = folder.resolve("moved");

        assertThat(build("--if-needed").output()).isEmpty();
        List<String> archives = List.of("archive target/lib", "archive-nodepath ");
        Eventually.isTrue(() -> calls().toString(), () -> calls().equals(archives));
        assertThat(build("--if-needed").calls()).as("once").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo more >>" + SOURCE,
                "echo more >>node-agent/src/main/resources/agent.properties",
                "echo more >>docs/lessons.md",
                "echo more >>node-agent/pom.xml",
                "echo more >node-agent/src/main/java/New.java",
                "rm " + SOURCE,
                "mv " + SOURCE + " node-agent/src/main/java/Other.java"
            })
    void buildsAgainWhatChanged(String change) throws Exception {
        build();

        change(change);

        assertThat(build("--if-needed").calls()).contains(QUICK);
        assertThat(build("--if-needed").calls()).isEmpty();
    }

    /** An older version of a file may come with its old time from an archive or a backup. */
    @Test
    void buildsAgainWhatBecameOlder() throws Exception {
        build();

        Files.writeString(checkout.resolve(SOURCE), "as it was long ago\n");
        Files.setLastModifiedTime(checkout.resolve(SOURCE), FileTime.from(Instant.EPOCH));

        assertThat(build("--if-needed").calls()).contains(QUICK);
    }

    /** A file changed during the build: Maven may have read it before or after. */
    @Test
    void buildsAgainWhatChangedMeanwhile() throws Exception {
        maven(BUILT + "echo more >>" + SOURCE);
        build();
        maven(BUILT);

        assertThat(build("--if-needed").calls()).contains(QUICK);
        assertThat(build("--if-needed").calls()).isEmpty();
    }

    @Test
    void buildsAgainWhatWasNotBuiltToTheEnd() throws Exception {
        maven("echo '[ERROR] COMPILATION ERROR'; exit 1");
        assertThat(build("--if-needed").exitCode()).isEqualTo(1);

        assertThat(build("--if-needed").calls()).contains(QUICK);
    }

    @Test
    void saysWhyItFailedWithoutMavensAdvice() throws Exception {
        maven("""
                echo '[INFO] Building Nodepath: the CNI plugin 1.0          [9/15]'
                echo '[ERROR] /a/Agent.java:[7,9] cannot find symbol'
                echo '  symbol: class Missing'
                echo '[ERROR] -> [Help 1]'
                echo '[ERROR] Re-run Maven using the -X switch to enable full debug logging.'
                exit 1
                """);

        assertThat(build().output()).endsWith("""
                        build: failed; all that Maven said is in target/build.log
                        [ERROR] /a/Agent.java:[7,9] cannot find symbol
                          symbol: class Missing
                        """);
    }

    static Stream<Arguments> failedFetches() {
        String central = "central (https://repo.maven.apache.org/maven2)";
        String transfer = "Could not transfer artifact junit:junit-bom:pom:5.1 from/to " + central + ": ";
        String url = "transfer failed for https://repo.maven.apache.org/maven2/junit/junit-bom-5.1.pom";
        return Stream.of(
                arguments(
                        "[ERROR] Non-resolvable import POM: " + transfer + url + " @ line 77, column 19",
                        "[ERROR]     Non-resolvable import POM: " + transfer + url
                                + " @ line 77, column 19: Unknown host repo.maven.apache.org -> [Help 2]",
                        "junit:junit-bom:pom:5.1 from " + central + ": Unknown host repo.maven.apache.org"),
                arguments(
                        "[ERROR] Plugin a:b:1 or one of its dependencies could not be resolved: " + transfer + url,
                        "[ERROR] Plugin a:b:1 or one of its dependencies could not be resolved: " + transfer + url
                                + ": Connect to repo.maven.apache.org:443 failed: Connection refused -> [Help 1]",
                        "junit:junit-bom:pom:5.1 from " + central
                                + ": Connect to repo.maven.apache.org:443 failed: Connection refused"),
                arguments(
                        "[INFO] Scanning for projects...",
                        "[ERROR] Cannot access " + central + " in offline mode and the artifact junit:junit-bom:pom:5.1"
                                + " has not been downloaded from it before. -> [Help 1]",
                        "junit:junit-bom:pom:5.1 from " + central + ": Maven is offline"));
    }

    @ParameterizedTest
    @MethodSource("failedFetches")
    void saysInALineWhatCouldNotBeFetched(String first, String second, String expected) throws Exception {
        maven("echo '%s'\necho '%s'\nexit 1\n".formatted(first, second));

        Run run = build();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output().lines().skip(1))
                .containsExactly(
                        "build: could not fetch " + expected + " (expected: a network, or what was fetched before in"
                                + " Maven's repository; all that Maven said is in target/build.log)");
    }

    static Stream<Arguments> javas() {
        String old = "%s/java/bin/%s: Java 11.0.2";
        return Stream.of(
                arguments("11.0.2", List.of("java", "javac"), "build", old),
                arguments("1.8.0_392", List.of("java", "javac"), "build", "%s/java/bin/%s: Java 1.8.0_392"),
                arguments("17.0.15", List.of("java"), "build", "JAVA_HOME: %s/java: no bin/%s in it"),
                arguments("17.0.15", List.of(), "build", "JAVA_HOME: %s/java: no bin/%s in it"),
                arguments("11.0.2", List.of("java", "javac"), "nodepath", old),
                arguments("17.0.15", List.of(), "nodepath", "JAVA_HOME: %s/java: no bin/%s in it"));
    }

    /** A command begins with a build if there is none, so one is made before; then only a Java that runs is needed. */
    @ParameterizedTest(name = "{2}: Java {0} with {1}")
    @MethodSource("javas")
    void saysInALineWhatJavaLacks(String version, List<String> programs, String script, String expected)
            throws Exception {
        boolean runs = script.equals("nodepath");
        if (runs) {
            build();
        }
        java(version, programs);

        Run run = run(checkout.resolve("scripts/" + script).toString(), "status");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .isEqualTo(script + ": " + expected.formatted(folder, runs ? "java" : "javac")
                        + " (expected: Java 17 or newer" + (runs ? "" : " with its compiler")
                        + ", in JAVA_HOME or on PATH, such as Debian package openjdk-17-jdk-headless)\n");
        assertThat(run.calls()).isEmpty();
    }

    private void maven(String script) throws IOException {
        program(folder.resolve("bin/mvn"), RECORD + script);
    }

    private void java(String version, List<String> programs) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("java/bin"));
        for (String program : List.of("java", "javac")) {
            Files.deleteIfExists(bin.resolve(program));
        }
        for (String program : programs) {
            program(bin.resolve(program), RECORD);
        }
        write(folder.resolve("java/release"), "IMPLEMENTOR=\"nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
    }

    private void program(Path file, String text) throws IOException {
        write(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Runs a command in the checkout. */
    private void change(String command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-ec", command)
                        .directory(checkout.toFile())
                        .start()
                        .waitFor())
                .isZero();
    }

    private Run build(String... arguments) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(checkout.resolve("scripts/build").toString()));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    /** Runs a command with an empty list of calls. */
    private Run run(String... command) throws IOException, InterruptedException {
        Files.deleteIfExists(folder.resolve("calls"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().put("CALLS", folder.resolve("calls").toString());
        builder.environment().put("TERM", "xterm");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output, calls());
    }

    private List<String> calls() throws IOException {
        Path calls = folder.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }
}
