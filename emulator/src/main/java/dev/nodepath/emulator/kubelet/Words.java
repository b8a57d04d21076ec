package dev.nodepath.emulator.kubelet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A file of words for a script: a NUL ends each, as no argument, variable or path can have one. */
final class Words {
    private Words() {}

    /**
     * Writes the words to a file.
     *
     * @throws IOException also if a word has a NUL
     */
    static void write(Path file, List<String> words) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String word : words) {
            if (word.indexOf('\0') >= 0) {
                throw new IOException("\"" + word.replace("\0", "\\0") + "\": has a NUL (expected: text without one)");
            }
            bytes.write(word.getBytes(StandardCharsets.UTF_8));
            bytes.write(0);
        }
        Files.write(file, bytes.toByteArray());
    }
}
