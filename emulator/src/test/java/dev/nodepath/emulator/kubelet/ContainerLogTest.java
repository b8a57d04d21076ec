package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.stream.LogOptions;
import java.io.BufferedReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerLogTest {
    @TempDir
    private Path folder;

    /** Each line has a time before it. */
    @Test
    void keepsNoMoreThanItsLimitOfShortLinesToo() throws Exception {
        Path file = folder.resolve("log");
        ContainerLog log = new ContainerLog(file, InstantSource.system());
        log.rotate();
        log.copy(new BufferedReader(new StringReader("\n".repeat(1 << 20) + "last\n")));
        assertThat(Files.size(file)).isLessThan(OutputLines.KEPT_CHARACTERS_MAX + 100);
        assertThat(Files.readString(file)).endsWith(" last\n");
    }

    @Test
    void whoFollowsGoesOnWhenItBeginsAnew() throws Exception {
        Path file = folder.resolve("log");
        ContainerLog log = new ContainerLog(file, InstantSource.system());
        log.rotate();
        log.write("first");
        LogOptions follow =
                new LogOptions("", true, false, false, Optional.empty(), OptionalLong.empty(), OptionalLong.empty());
        LogSource source = new LogSource(file, follow, () -> true);
        StringBuilder read = new StringBuilder(text(source));
        log.copy(new BufferedReader(new StringReader("\n".repeat(200_000) + "last\n")));
        for (String piece = text(source); !piece.isEmpty(); piece = text(source)) {
            read.append(piece);
        }
        source.close();
        assertThat(read.toString()).startsWith("first\n").endsWith("\nlast\n");
    }

    private static String text(LogSource source) {
        byte[] piece = source.poll();
        return piece == null ? "" : new String(piece, StandardCharsets.UTF_8);
    }
}
