package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerLogTest {
    @TempDir
    private Path folder;

    /** Each line has a time before it. */
    @Test
    void keepsNoMoreThanItsLimitOfShortLinesToo() throws Exception {
        Path file = folder.resolve("log");
        ContainerLog log = new ContainerLog(file, Clock.systemUTC());
        log.rotate();
        log.copy(new BufferedReader(new StringReader("\n".repeat(1 << 20))));
        assertThat(Files.size(file)).isBetween(OutputLines.KEPT_CHARACTERS_MAX, OutputLines.KEPT_CHARACTERS_MAX + 100);
    }
}
