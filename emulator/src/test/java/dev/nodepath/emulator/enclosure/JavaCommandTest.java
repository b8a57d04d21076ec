package dev.nodepath.emulator.enclosure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaCommandTest {
    @TempDir
    private Path folder;

    /** Takes all memory on a thread that no other thread waits for. */
    static final class Hungry {
        private Hungry() {}

        public static void main(String[] arguments) throws InterruptedException {
            new Thread(() -> {
                        List<byte[]> held = new ArrayList<>();
                        while (held.add(new byte[1024 * 1024])) {}
                    })
                    .start();
            Thread.sleep(TimeUnit.MINUTES.toMillis(5));
        }
    }

    @Test
    void aClusterHasLargePagesAsTheCommandHasAndAnAgentHasNone() {
        String flag = "-XX:+UseTransparentHugePages";
        JavaCommand java = new JavaCommand(folder, "", folder);
        assertThat(java.forCluster(List.of())).doesNotContain(flag);
        System.setProperty("nodepath.large-pages", "true");
        try {
            assertThat(java.forCluster(List.of())).contains(flag);
            assertThat(java.forAgent(List.of())).doesNotContain(flag);
            assertThat(java.forMeasurement(List.of())).doesNotContain(flag);
        } finally {
            System.clearProperty("nodepath.large-pages");
        }
    }

    @Test
    void aClusterWithoutMemoryEndsWithAWord() throws Exception {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "exec 7<\"$0\"\nexec \"$@\"", folder.toString()));
        command.add(java.toString());
        new JavaCommand(java, "", folder)
                .forCluster(List.of()).stream()
                        .filter(flag -> flag.startsWith("-XX:"))
                        .forEach(command::add);
        command.addAll(List.of("-Xms16m", "-Xmx32m", "-cp", System.getProperty("java.class.path")));
        command.add(Hungry.class.getName());
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("NODEPATH_LAST_WORD", "last-word");
        Process process = builder.start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(3);
        assertThat(Files.readString(folder.resolve("last-word"))).isEqualTo("out of memory\n");
    }
}
