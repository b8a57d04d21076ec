package dev.nodepath.agent.install;

import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The network's configuration in the runtime's folder. An agent replaces it and never removes it: the runtime needs it
 * to delete pods.
 *
 * <p>containerd reloads when fsnotify tells it of a write, rename or removal, and not when a file appears (containerd
 * #11715). So the text is moved into place from a file of the same folder, and its last byte, a line end, is written
 * after that.
 */
public final class ConflistFile {
    /** Sorts early: a runtime takes the first name. */
    public static final String NAME = "10-nodepath.conflist";

    /** The file names that containerd and CRI-O read as configurations. */
    private static final Pattern CONFIGURATION = Pattern.compile("[^.].*\\.(conf|conflist|json)");

    private final Path folder;

    /** A file in this folder; the folder is made when needed. */
    public ConflistFile(HostFolders folders) {
        this.folder = folders.here(folders.conf());
    }

    /** Whether there is a file, possibly from an earlier run. */
    public boolean exists() {
        return Files.isRegularFile(folder.resolve(NAME));
    }

    /** The file's content; empty if the file is missing. */
    String text() throws IOException {
        return read(folder.resolve(NAME));
    }

    /**
     * Writes this text, unless the file has it already.
     *
     * @return whether the file was changed
     * @throws IOException if it cannot be written; the message names the option and the folder
     */
    public boolean write(String text) throws IOException {
        Path file = folder.resolve(NAME);
        try {
            SharedFolder.make(folder);
            String before = read(file);
            if (before.equals(text + "\n")) {
                return false;
            }
            if (!before.equals(text)) {
                FileSteps.replaceText(file, text);
            }
            Files.writeString(file, "\n", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
            return true;
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }

    /**
     * Removes the file.
     *
     * @throws IOException if it cannot be; the message names the option and the folder
     */
    void remove() throws IOException {
        try {
            FileSteps.delete(folder.resolve(NAME));
        } catch (IOException e) {
            throw FileSteps.problem("--cni-conf-dir", folder, e);
        }
    }

    /** The name of the configuration that a runtime takes instead of this one; empty if there is none. */
    public Optional<String> takenInstead() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> CONFIGURATION.matcher(name).matches())
                    .sorted()
                    .findFirst()
                    .filter(first -> !first.equals(NAME));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static String read(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            return "";
        }
    }
}
