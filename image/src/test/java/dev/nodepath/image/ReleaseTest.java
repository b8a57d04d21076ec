package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The result of {@code scripts/release} as a user unpacks it: without Java and Maven, called by a symbolic link from
 * elsewhere.
 */
@Tag("release")
class ReleaseTest {
    private static final Path RELEASE = Home.DIRECTORY.resolve("target/release");

    /** Hides all Javas and Mavens, from this shell alone. */
    private static final String WITHOUT_JAVA = """
            mount -t tmpfs none /usr/lib/jvm
            if [ -d /usr/share/maven ]; then mount -t tmpfs none /usr/share/maven; fi
            unset JAVA_HOME
            if command -v java javac mvn; then echo "Java is there" >&2; exit 3; fi
            """;

    /** Two of the classes that a command loads, and from where. */
    private static final String CLASSES_OF = """
            JAVA_TOOL_OPTIONS=-Xlog:class+load:file=classes '%s' -V >&2
            grep -E "cli.Nodepath |lang.String " classes
            """;

    @TempDir
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Path installed;

    private record Result(int exitCode, String output) {}

    @BeforeAll
    static void unpack() throws Exception {
        Path opt = Files.createDirectories(folder.resolve("opt"));
        Result unpacked = run("tar -xf '%s' -C '%s'".formatted(archive(), opt));
        assertThat(unpacked.exitCode()).as(unpacked.output()).isZero();
        installed = opt.resolve(archive().getFileName().toString().replaceFirst("\\.tar\\.gz$", ""));
        Files.createSymbolicLink(
                Files.createDirectories(folder.resolve("bin")).resolve("nodepath"), installed.resolve("bin/nodepath"));
    }

    private static Path archive() throws IOException {
        try (Stream<Path> files = Files.list(RELEASE)) {
            return files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void saysItsVersion() throws Exception {
        Result result = withoutJava("nodepath -V");

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).isEqualTo("nodepath " + Home.VERSION + "\n");
    }

    @Test
    void runsAClusterWhosePodsReachEachOther() throws Exception {
        Result result = withoutJava("""
                nodepath up >&2
                nodepath exec client-1 -- curl -s web
                nodepath down >&2
                """);

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("\"pod\":\"web-");
    }

    /**
     * The archives lie in the unpacked folder, as they fit only one place; the cluster's process and its agents start
     * from them too.
     */
    @Test
    void startsFromClassesThatItsFirstCommandArchives() throws Exception {
        withoutJava("nodepath -V");
        awaitArchives();

        assertStartsFromArchives(withoutJava(CLASSES_OF.formatted("nodepath")));
    }

    /** Processes run from these jars while a release is made. Their archives of classes fit no others. */
    @Test
    void leavesTheJarsOfTheCheckoutAsTheyWere() throws Exception {
        assertStartsFromArchives(run(CLASSES_OF.formatted(Home.DIRECTORY.resolve("scripts/nodepath"))));
    }

    private static void assertStartsFromArchives(Result result) {
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output())
                .contains(
                        "dev.nodepath.cli.Nodepath source: shared objects file",
                        "java.lang.String source: shared objects file");
    }

    @AfterAll
    static void awaitArchives() throws Exception {
        for (String archive : List.of(
                "lib/nodepath.jsa",
                "lib/nodepath-agent.jsa",
                "lib/nodepath-bridge.jsa",
                "jre/lib/server/classes.jsa")) {
            Eventually.isTrue(() -> archive, () -> Files.exists(installed.resolve(archive)));
        }
    }

    @Test
    void bringsAPluginThatSaysItsVersions() throws Exception {
        Result result = withoutJava("echo '{\"cniVersion\":\"1.0.0\"}' | CNI_COMMAND=VERSION '%s/bin/nodepath-bridge'"
                .formatted(installed));

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output()).contains("\"supportedVersions\":[", "\"1.1.0\"");
    }

    /** The pages name the manifests so, and the manifests name the image by its version. */
    @Test
    void bringsTheManifestsOfItsImage() {
        assertThat(installed.resolve("scripts/kind/nodepath.yaml"))
                .content()
                .contains("image: nodepath:" + Home.VERSION + "\n");
    }

    @Test
    void completesCommandsInBashAndZsh() throws Exception {
        Result bash = run("bash -c '. \"%s/share/bash-completion/completions/nodepath\"; COMP_WORDS=(nodepath tra);"
                        .formatted(installed)
                + " COMP_CWORD=1; _complete_nodepath; echo \"${COMPREPLY[@]}\"'");

        assertThat(bash.output()).isEqualTo("trace\n");
        assertThat(installed.resolve("share/zsh/site-functions/_nodepath"))
                .content()
                .startsWith("#compdef nodepath\n");
    }

    @Test
    void hasAManualPageForEachCommand() throws Exception {
        List<String> commands = withoutJava("nodepath --help")
                .output()
                .lines()
                .filter(line -> line.matches("  [a-z]+(-[a-z]+)?  +.*"))
                .map(line -> line.strip().replaceFirst(" .*", ""))
                .filter(command -> !command.equals("nodepath"))
                .toList();

        assertThat(commands).contains("up", "trace", "cni-server");
        for (String command : commands) {
            assertThat(installed.resolve("share/man/man1/nodepath-" + command + ".1"))
                    .content()
                    .startsWith("'\\\" t\n")
                    .doesNotContain("&#");
        }
    }

    @Test
    void hasTheSumsOfAllItsFiles() throws Exception {
        Result sums = run("cd '%s' && sha256sum --check --strict SHA256SUMS".formatted(RELEASE));

        assertThat(sums.exitCode()).as(sums.output()).isZero();
        assertThat(sums.output())
                .contains(
                        "nodepath-" + Home.VERSION + ".cdx.json: OK",
                        "linux-net-" + Home.VERSION + ".jar: OK",
                        "linux-net-" + Home.VERSION + "-sources.jar: OK",
                        "linux-net-" + Home.VERSION + "-javadoc.jar: OK");
    }

    /** It lists each jar in the archive, and nothing else. */
    @Test
    void listsWhatItIsMadeOf() throws Exception {
        String bill = Files.readString(RELEASE.resolve("nodepath-" + Home.VERSION + ".cdx.json"));
        try (Stream<Path> jars = Files.list(installed.resolve("lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString())
                            .filter(name -> name.endsWith(".jar"))
                            .map(name -> name.replaceFirst("-\\d.*", "")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(bill).contains("\"name\" : \"" + name + "\""));
        }
    }

    private static Result withoutJava(String script) throws IOException, InterruptedException {
        return run("exec unshare --mount sh -euc '" + (WITHOUT_JAVA + script).replace("'", "'\\''") + "'");
    }

    /** Runs a script in an empty folder. */
    private static Result run(String script) throws IOException, InterruptedException {
        Path errors = folder.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("sh", "-euc", script)
                .directory(Files.createDirectories(folder.resolve("else where")).toFile())
                .redirectError(errors.toFile());
        builder.environment().put("PATH", folder.resolve("bin") + ":/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().put("HOME", folder.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int exitCode = process.waitFor();
        return new Result(exitCode, exitCode == 0 ? output : output + Files.readString(errors));
    }
}
