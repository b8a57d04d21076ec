package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that is installed as the plugin, in a checkout, installed, and without what it needs. */
class LauncherTest {
    private static final Path SCRIPT = Path.of(System.getProperty("nodepath.home", ".."), "scripts", "nodepath-bridge")
            .toAbsolutePath()
            .normalize();
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
