package dev.nodepath.emulator.enclosure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The result of a command inside, with a script in place of the enclosure. */
class EnclosureTest {
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    private Path folder;

    /** A front with a process of its own, which ends as {@code nodepath} does. */
    static final class Front {
        private Front() {}

        public static void main(String[] arguments) throws Exception {
            Path script = Path.of(arguments[0]);
            JavaCommand java = new JavaCommand(Path.of("java"), "", Path.of(""));
            System.exit(new Enclosure(java, script).run(List.of(), () -> System.out.println("interrupted")));
        }
    }

    /** A terminal's interrupt reaches both processes, and the one inside may end before this one notices it. */
    @ParameterizedTest
    @ValueSource(ints = {130, 143})
    void isInterruptedAlsoIfTheCommandInsideEndsFirst(int exitCode) throws Exception {
        assertThat(run(exitCode)).isEqualTo("interrupted\n" + exitCode);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void endsAsTheCommandInside(int exitCode) throws Exception {
        assertThat(run(exitCode)).isEqualTo(Integer.toString(exitCode));
    }

    /** Output and exit code of a front for a command with this exit code. */
    private String run(int exitCode) throws Exception {
        Path script = Files.writeString(folder.resolve("enclose"), "#!/bin/sh\nexit " + exitCode + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Process front = new ProcessBuilder(
                        JAVA,
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Front.class.getName(),
                        script.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(front.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output + front.waitFor();
    }
}
