package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code scripts/build-image} in a checkout of stand-ins: what it refuses for an image. */
class BuildImageTest {
    private static final String RECORD = """
            #!/bin/sh
            echo "${0##*/} $*" >>"$CALLS"
            """;

    /** The header of a program without segments, so without a loader that needs libraries. */
    private static final String STATIC_PROGRAM =
            "printf '\\177ELF\\2\\1\\1\\0\\0\\0\\0\\0\\0\\0\\0\\0\\2\\0\\76\\0\\1\\0\\0\\0'; head -c 40 /dev/zero";

    @TempDir
    private Path folder;

    private record Run(int exitCode, String output, List<String> calls) {}

    @BeforeEach
    void checkout() throws IOException {
        Files.createDirectories(folder.resolve("scripts"));
        for (String script : List.of("build-image", "lay-out", "version")) {
            Files.copy(Home.DIRECTORY.resolve("scripts/" + script), folder.resolve("scripts/" + script));
        }
        Files.writeString(folder.resolve("pom.xml"), "<project>\n  <version>1.2.3</version>\n");
        for (String script : List.of(
                "build",
                "require",
                "nodepath",
                "java-home",
                "follow-place",
                "archive",
                "archive-nodepath",
                "enclose",
                "nodepath-bridge")) {
            program("scripts/" + script, RECORD);
        }
        client(STATIC_PROGRAM);
        program("image/start", RECORD);
        program("image/Dockerfile", "");
        program("target/lib/cli-1.jar", "");
        program("target/lib/jffi-1.jar", "");
        program("target/lib/linux-net-1.jar", "");
        program("target/lib/nodepath.classes", "");
        program("target/lib/nodepath-agent.classes", "");
        program("linux-net/pom.xml", "");
        Files.writeString(folder.resolve("target/lib/cli.classpath"), "jffi-1.jar:linux-net-1.jar");
        for (String machine : List.of("x86_64", "aarch64")) {
            program("target/lib/native/jni/" + machine + "-Linux/libjffi.so", "");
            program("target/lib/native/META-INF/native/libnetty_" + machine + ".so", "");
        }
        program("java/release", "");
        program("java/bin/jlink", RECORD + """
                mkdir -p "$2/bin" "$2/lib/server"
                printf '#!/bin/sh\\n# GLIBC_2.31 GLIBC_2.4\\n' >"$2/bin/java"
                chmod +x "$2/bin/java"
                """);
        docker("");
    }

    @Test
    void buildsAndSaves() throws Exception {
        Run run = run();
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.calls())
                .contains("require cc:gcc libc6-dev readelf:binutils", "save " + folder + "/image.tar nodepath:1.2.3");
    }

    /** Files that change with each build are not in the layer of the libraries. */
    @Test
    void keepsOurJarsApartFromTheLibraries() throws Exception {
        run();
        Path context = folder.resolve("target/image/context");
        assertThat(context.resolve("nodepath/lib/linux-net-1.jar")).exists();
        assertThat(context.resolve("libraries/jffi-1.jar")).exists();
        assertThat(context.resolve("libraries/linux-net-1.jar")).doesNotExist();
    }

    /** An archive of the classes of a cluster would be larger than the jars. */
    @Test
    void bringsTheListOfAgentsClassesAlone() throws Exception {
        run();
        Path lib = folder.resolve("target/image/context/nodepath/lib");
        assertThat(lib.resolve("nodepath-agent.classes")).exists();
        assertThat(lib.resolve("nodepath.classes")).doesNotExist();
    }

    /**
     * A script in the runtime's plugin folder finds neither Java nor jars, and a node may have an older C library.
     */
    @ParameterizedTest
    @ValueSource(strings = {"cat scripts/nodepath-bridge", "cat /bin/true", "exit 0"})
    void refusesAClientThatIsNoStaticProgram(String builtClient) throws Exception {
        client(builtClient);
        Run run = run();
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .isEqualTo("lay-out: target/bin/nodepath-bridge: no static program (expected: one compiled with Debian"
                        + " packages gcc and libc6-dev)\n");
        assertThat(run.calls()).noneMatch(call -> call.startsWith("docker build"));
    }

    /** Such a Java needs a newer system than the base, whose age is that of nodes. */
    @Test
    void refusesAJavaThatDoesNotStartOnTheBase() throws Exception {
        docker("run*nodepath:1.2.3*) echo \"version 'GLIBC_2.99' not found\" >&2; exit 1 ;;");
        Run run = run();
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .contains(
                        "build-image: nodepath:1.2.3 does not start: version 'GLIBC_2.99' not found (expected: a --base,"
                                + " and nodes, with GLIBC 2.31 that its Java asks for, or a JAVA_HOME that asks for less)");
        assertThat(run.calls()).noneMatch(call -> call.startsWith("docker save"));
    }

    private static final String OFFLINE = """
            "image inspect debian"*) exit 1 ;;
            pull*) echo "Error response from daemon: lookup registry: no such host" >&2; exit 1 ;;
            """;

    @Test
    void saysCalmlyThatNoRegistryIsReached() throws Exception {
        docker(OFFLINE);
        program("target/image/bookworm.tar", "");
        Run run = run();
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("build-image: debian:bookworm-slim: no registry reached, so debootstrap makes the base;"
                        + " why: target/image/pull.log\n")
                .doesNotContain("Error response");
        assertThat(folder.resolve("target/image/pull.log")).content().startsWith("Error response from daemon: ");
        assertThat(run.calls()).anyMatch(call -> call.contains("BASE=nodepath-base:bookworm"));
    }

    @Test
    void saysWhyTheBaseThatIsAskedForIsNotReached() throws Exception {
        docker(OFFLINE);
        Run run = run("--base", "debian:trixie-slim");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .endsWith(
                        "build-image: --base debian:trixie-slim: not reached: Error response from daemon: lookup registry:"
                                + " no such host (expected: an image that docker has or can fetch)\n");
    }

    /** The client that {@code build-plugin} writes. */
    private void client(String output) throws IOException {
        program("scripts/build-plugin", RECORD + "mkdir -p target/bin && exec >target/bin/nodepath-bridge\n" + output);
    }

    /** A docker that succeeds at everything, with special cases for some calls. */
    private void docker(String cases) throws IOException {
        program("bin/docker", RECORD + """
                case $* in
                %s
                *--format*) echo 170000000 ;;
                save*) echo "save $3 $4" >>"$CALLS" ;;
                esac
                """.formatted(cases));
    }

    private void program(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Run run(String... arguments) throws IOException, InterruptedException {
        Path calls = folder.resolve("calls");
        List<String> command = new ArrayList<>(
                List.of(folder.resolve("scripts/build-image").toString(), "--output", folder + "/image.tar"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().put("CALLS", calls.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output, Files.exists(calls) ? Files.readAllLines(calls) : List.of());
    }
}
