package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.JsonParsing;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The search for the plugin's JVM and its start: in a checkout, installed on a host, and without its requirements.
 */
class LauncherTest {
    private static final Path SCRIPTS = Path.of(System.getProperty("nodepath.home", ".."), "scripts")
            .toAbsolutePath()
            .normalize();
    private static final Path SCRIPT = SCRIPTS.resolve("nodepath-bridge");
    private static final String JAVA_HOME = System.getProperty("java.home");
    private static final String VERSIONS = "{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[";

    @TempDir
    Path directory;

    private Path lib = Path.of("");

    @BeforeEach
    void collectJars() throws IOException {
        lib = Files.createDirectories(directory.resolve("plugin").resolve("lib"));
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                pack(path);
            } else if (path.getFileName().toString().matches("(jackson-core|linux-net|jnr|jffi|asm)-.*")) {
                Files.copy(path, lib.resolve(path.getFileName()));
            }
        }
    }

    @Test
    void runsThePluginFromTheFolderOfJarsThatItIsTold() throws Exception {
        Answer answer = version(SCRIPT, Map.of("JAVA_HOME", JAVA_HOME, "NODEPATH_LIB", lib.toString()));
        assertThat(answer.stdout()).startsWith(VERSIONS);
        assertThat(answer.exitCode()).isZero();
        assertThat(answer.stderr()).isEmpty();
    }

    @Test
    void runsThePluginWhereItIsInstalledAndThroughALink() throws Exception {
        Path bin = Files.createDirectories(lib.resolveSibling("bin"));
        Path installed = Files.copy(SCRIPT, bin.resolve("nodepath-bridge"), StandardCopyOption.COPY_ATTRIBUTES);
        Path link = Files.createSymbolicLink(directory.resolve("link"), installed);
        for (Path path : List.of(installed, link)) {
            assertThat(version(path, Map.of("JAVA_HOME", JAVA_HOME)).stdout()).startsWith(VERSIONS);
        }
    }

    /** A caller without the answer must not take the call for a success. */
    @ParameterizedTest
    @ValueSource(strings = {">/dev/full", ">&-"})
    void failsIfTheAnswerCannotBePrinted(String output) throws Exception {
        Answer answer = inShell("exec \"$0\" " + output);
        assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(1);
        assertThat(answer.stderr()).contains("standard output cannot be written");
    }

    @Test
    void answersFromAFolderThatIsGone() throws Exception {
        Answer answer = inShell("mkdir /tmp/gone-$$ && cd /tmp/gone-$$ && rmdir /tmp/gone-$$; exec \"$0\"");
        assertThat(answer.stdout()).as(answer.toString()).startsWith(VERSIONS);
    }

    private Answer inShell(String line) throws Exception {
        RuntimeCall shell = new RuntimeCall(
                List.of("/bin/sh", "-c", line, SCRIPT.toString()),
                Map.of("JAVA_HOME", JAVA_HOME, "NODEPATH_LIB", lib.toString()));
        return shell.call("VERSION", "", "", "");
    }

    /**
     * As processes.md has it: versions beside each other, and in the runtime's folder the client and a link to its JVM.
     */
    @Test
    void isFoundByTheClientInTheRuntimesFolderInWhateverVersionIsCurrent() throws Exception {
        Path current = directory.resolve("nodepath").resolve("current");
        Path first = install("1", "exec '" + JAVA_HOME + "/bin/java' \"$@\"");
        install("2", "echo the second version");
        Path cniBin = Files.createDirectories(directory.resolve("cni").resolve("bin"));
        Path client = CompiledClient.at(cniBin.resolve("nodepath-bridge"));
        Files.createSymbolicLink(cniBin.resolve("nodepath-bridge-jvm"), current.resolve("bin/nodepath-bridge-jvm"));
        Map<String, String> environment =
                Map.of("JAVA_HOME", "/not/this/one", "NODEPATH_CNI_SOCKET", "/no/server", "NODEPATH_LIB", "");
        Files.createSymbolicLink(current, first.getFileName());
        assertThat(version(client, environment).stdout()).startsWith(VERSIONS);
        Files.delete(current);
        Files.createSymbolicLink(current, Path.of("2"));
        assertThat(version(client, environment).stdout()).isEqualTo("the second version\n");
    }

    @Test
    void startsFromAnArchiveThatIsMadeWhereItIsInstalledAndWithoutOneThatDoesNotFit() throws Exception {
        Path home = install("1", "exec '" + JAVA_HOME + "/bin/java' \"$@\"");
        Path launcher = home.resolve("bin/nodepath-bridge-jvm");
        Files.copy(
                SCRIPTS.resolveSibling("cni-bridge/src/main/cds/nodepath-bridge.classes"),
                home.resolve("lib/nodepath-bridge.classes"));
        // Makes the JVM refuse to start without an archive that fits.
        Map<String, String> strict = Map.of("JAVA_TOOL_OPTIONS", "-Xshare:on", "NODEPATH_LIB", "");
        Process archive = new ProcessBuilder(
                        SCRIPTS.resolve("archive").toString(),
                        home.resolve("lib").toString())
                .inheritIO()
                .start();
        assertThat(archive.waitFor()).isZero();
        Answer fits = version(launcher, strict);
        assertThat(fits.stdout()).as(fits.stderr()).startsWith(VERSIONS);
        try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
            Path jar = jars.filter(path -> path.getFileName().toString().startsWith("jnr-ffi-"))
                    .findFirst()
                    .orElseThrow();
            Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
        }
        assertThat(version(launcher, strict).exitCode()).isNotZero();
        Answer unfit = version(launcher, Map.of("NODEPATH_LIB", ""));
        assertThat(unfit.stdout()).as(unfit.stderr()).startsWith(VERSIONS);
    }

    @Test
    void isThePluginItselfInACheckoutThatWasBuiltWithoutACompiler() throws Exception {
        Path checkout = directory.resolve("checkout");
        Path scripts = Files.createDirectories(checkout.resolve("scripts"));
        for (String script : List.of("build-plugin", "archive", "nodepath-bridge")) {
            Files.copy(SCRIPTS.resolve(script), scripts.resolve(script), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(checkout.resolve("target"));
        Files.move(lib, checkout.resolve("target/lib"));
        ProcessBuilder builder =
                new ProcessBuilder(scripts.resolve("build-plugin").toString()).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("CC", "NODEPATH_LIB"));
        builder.environment()
                .putAll(Map.of(
                        "JAVA_HOME", JAVA_HOME, "PATH", pathWithoutCompiler().toString()));
        Process build = builder.start();
        String output = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(build.waitFor()).as(output).isZero();
        assertThat(output).contains("build-plugin: no client: each call of the plugin will be a JVM of its own");

        Path plugin = checkout.resolve("target/bin/nodepath-bridge");
        RuntimeCall call =
                new RuntimeCall(List.of(plugin.toString()), Map.of("JAVA_HOME", JAVA_HOME, "NODEPATH_LIB", ""));
        assertThat(call.call("VERSION", "", "", "").stdout()).startsWith(VERSIONS);
        Answer add = call.call("ADD", "", "/run/netns/pod", "{}");
        assertThat(add.exitCode()).isEqualTo(1);
        assertThat(add.stdout()).contains("\"code\":4,", "CNI_CONTAINERID");
    }

    /** A folder with all programs that the build's scripts call, and no other. */
    private Path pathWithoutCompiler() throws IOException {
        Path path = Files.createDirectories(directory.resolve("path"));
        for (String program : List.of("sh", "dirname", "readlink", "mkdir", "ln", "mv", "rm", "env", "uname")) {
            Files.createSymbolicLink(path.resolve(program), Path.of("/usr/bin", program));
        }
        return path;
    }

    /** A version of the plugin as it is on a host; its Java is a script of these lines. */
    private Path install(String version, String java) throws IOException {
        Path home = Files.createDirectories(directory.resolve("nodepath").resolve(version));
        Files.createDirectories(home.resolve("bin"));
        Files.copy(SCRIPT, home.resolve("bin/nodepath-bridge-jvm"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.createDirectories(home.resolve("lib"));
        try (Stream<Path> jars = Files.list(lib)) {
            for (Path jar : (Iterable<Path>) jars::iterator) {
                Files.copy(jar, home.resolve("lib").resolve(jar.getFileName()));
            }
        }
        Files.createDirectories(home.resolve("jre/bin"));
        Path program = Files.writeString(home.resolve("jre/bin/java"), "#!/bin/sh\n" + java + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return home;
    }

    @Test
    void saysInTheProtocolWhatIsMissing() throws Exception {
        String folder = directory.toString();
        assertError(version(SCRIPT, Map.of("JAVA_HOME", "/no\"such\\java")), "no Java at JAVA_HOME (a path");
        assertError(version(SCRIPT, Map.of("JAVA_HOME", folder)), "no Java at JAVA_HOME " + folder + " (expected: ");
        assertError(version(SCRIPT, Map.of("JAVA_HOME", "", "PATH", folder)), "no java on PATH (expected: Java 17");
        assertError(
                version(SCRIPT, Map.of("JAVA_HOME", JAVA_HOME, "NODEPATH_LIB", folder)), "no jars in " + folder + " (");
    }

    private static Answer version(Path script, Map<String, String> environment) throws Exception {
        return new RuntimeCall(List.of(script.toString()), environment).call("VERSION", "", "", "");
    }

    private static void assertError(Answer answer, String message) throws CniException {
        assertThat(answer.exitCode()).isEqualTo(1);
        JsonObject error = JsonParsing.object(answer.stdout().getBytes(StandardCharsets.UTF_8));
        assertThat(error.integer("code")).contains(999L);
        assertThat(error.string("msg").orElse("")).startsWith("nodepath-bridge: " + message);
    }

    /** Makes a jar of a module's classes, named as the build names it. */
    private void pack(Path classes) throws IOException {
        Path module = classes.resolve("../..").normalize().getFileName();
        Path jar = lib.resolve(module + "-" + classes.getFileName() + ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> paths = Files.walk(classes)) {
            for (Path path : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
                out.putNextEntry(new JarEntry(classes.relativize(path).toString()));
                Files.copy(path, out);
                out.closeEntry();
            }
        }
    }
}
