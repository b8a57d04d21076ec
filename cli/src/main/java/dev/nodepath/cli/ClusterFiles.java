package dev.nodepath.cli;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.enclosure.Preflight;
import dev.nodepath.linux.io.FileLock;
import dev.nodepath.linux.io.SharedFolder;
import dev.nodepath.linux.syscall.Syscalls;
import dev.nodepath.report.form.OwnFolder;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The folder of one of this user's clusters, outside of it: its record, its kubeconfig and the lock of its start. Only
 * this user may write to the folder: its kubeconfig can name programs that {@code kubectl} runs.
 */
final class ClusterFiles {
    /** The kubeconfig's name, here and inside the cluster. */
    static final String KUBECONFIG = "kubeconfig";
    /** The file inside the enclosure with an example of exec, for the user who has started the cluster. */
    static final String EXAMPLE = "example";

    /** Where the cluster says why it ends; see {@link Enclosure#startDetached}. */
    static final String LAST_WORD = "last-word";

    private static final String RECORD = "cluster";
    private static final String LOCK = "lock";
    private static final Path RUN = Path.of("/run/nodepath");

    private final String name;
    private final Path folder;

    private ClusterFiles(String name, Path folder) {
        this.name = name;
        this.folder = folder;
    }

    /** The files of the cluster of this name. The folder may be missing. */
    static ClusterFiles of(ClusterName name) throws CommandException, IOException {
        return of(name, Preflight.isRoot(), System.getenv(), Path.of(System.getProperty("user.home")));
    }

    /**
     * The files of a user's cluster: root's are below {@code /run/nodepath}, those of other users are below {@code
     * XDG_RUNTIME_DIR}, else below {@code XDG_STATE_HOME} or {@code ~/.local/state} (XDG Base Directory Specification
     * 0.8).
     *
     * @param home if the environment has none
     */
    static ClusterFiles of(ClusterName name, boolean root, Map<String, String> environment, Path home)
            throws CommandException, IOException {
        String value = name.value();
        if (root) {
            return new ClusterFiles(value, RUN.resolve("clusters").resolve(value));
        }
        Optional<Path> runtime = absolute(environment, "XDG_RUNTIME_DIR").filter(Files::exists);
        if (runtime.isPresent()) {
            try (OwnFolder own = OwnFolder.open(runtime.get(), OwnFolder.Access.READABLE)) {
                return new ClusterFiles(value, own.path().resolve("nodepath").resolve(value));
            } catch (OwnFolder.RefusedException e) {
                throw CommandException.failed("XDG_RUNTIME_DIR: " + e.getMessage()
                        + "; without this variable clusters are in ~/.local/state/nodepath");
            }
        }
        Path state = absolute(environment, "XDG_STATE_HOME")
                .orElse(absolute(environment, "HOME").orElse(home).resolve(".local/state"));
        return new ClusterFiles(value, state.resolve("nodepath").resolve(value));
    }

    /** A relative path counts as none, as the specification says. */
    private static Optional<Path> absolute(Map<String, String> environment, String variable) {
        return Optional.ofNullable(environment.get(variable))
                .filter(text -> !text.isEmpty())
                .map(Path::of)
                .filter(Path::isAbsolute);
    }

    /** The cluster's name. */
    String name() {
        return name;
    }

    Path folder() {
        return folder;
    }

    /** The kubeconfig of the running cluster, for this machine. */
    Path kubeconfig() {
        return folder.resolve(KUBECONFIG);
    }

    Optional<ClusterRecord> running() throws IOException, CommandException {
        return read(RECORD)
                .flatMap(ClusterRecord::parse)
                .filter(found -> found.process().isPresent());
    }

    /** The running cluster; without one an error that says how to start one. */
    ClusterRecord requireRunning() throws IOException, CommandException {
        Optional<ClusterRecord> running = running();
        if (running.isEmpty()) {
            List<String> others = others();
            String that = others.isEmpty() ? "" : ", or " + ClusterName.OPTION + "=" + String.join(" or ", others);
            throw CommandException.failed("no cluster \"" + name + "\" is running in " + folder
                    + " (expected: run 'nodepath up" + option() + "' first" + that + ")"
                    + ended().map(why -> "; " + why).orElse(""));
        }
        return running.get();
    }

    /** The names of this user's other clusters that run. */
    List<String> others() throws IOException, CommandException {
        String[] all = folder.resolveSibling("").toFile().list();
        List<String> names = new ArrayList<>();
        for (String each : all == null ? new String[0] : all) {
            if (!each.equals(name) && new ClusterFiles(each, folder.resolveSibling(each)).isRunning()) {
                names.add(each);
            }
        }
        names.sort(null);
        return names;
    }

    /** Whether the cluster runs, even if something else in its folder is wrong. */
    private boolean isRunning() throws IOException {
        try {
            return running().isPresent();
        } catch (CommandException e) {
            return false;
        }
    }

    /** Why the recorded cluster no longer runs; empty if it runs, or if {@code down} has ended it. */
    Optional<String> ended() throws IOException, CommandException {
        if (read(RECORD).flatMap(ClusterRecord::parse).isEmpty() || running().isPresent()) {
            return Optional.empty();
        }
        String word = read(LAST_WORD).orElse("").strip();
        return Optional.of("the last cluster " + (word.isEmpty() ? "was killed" : "ended, as its process was " + word));
    }

    /** The option that names it, after a blank; empty for the default name. */
    String option() {
        return name.equals(ClusterName.DEFAULT) ? "" : " " + ClusterName.OPTION + "=" + name;
    }

    /** The arguments of {@code up} for the last cluster. */
    List<String> arguments() throws IOException, CommandException {
        return read(RECORD).map(ClusterRecord::arguments).orElse(List.of());
    }

    /**
     * Writes the record.
     *
     * @param arguments that {@code up} started it with
     */
    void write(ClusterRecord record, List<String> arguments) throws IOException, CommandException {
        try (OwnFolder own = make()) {
            own.replace(RECORD, record.text(arguments));
        }
    }

    void writeKubeconfig(String text) throws IOException, CommandException {
        try (OwnFolder own = make()) {
            own.replace(KUBECONFIG, text);
        }
    }

    /** The lock of a start: until there is a record, a second {@code up} would not see the first. */
    FileLock lock() throws IOException, CommandException {
        make().close();
        return tryLock()
                .orElseThrow(() -> CommandException.failed("a cluster is already starting, says " + folder.resolve(LOCK)
                        + " (expected: wait for that 'nodepath up', then 'nodepath down" + option() + "')"));
    }

    /** Removes the record of a cluster that was killed. */
    void forget() throws IOException, CommandException {
        try (OwnFolder own = make()) {
            own.delete(KUBECONFIG);
            own.delete(RECORD);
            own.delete(LAST_WORD);
        }
    }

    /** Removes all files, unless a cluster is starting or has started since the last look. */
    void remove() throws IOException, CommandException {
        try (OwnFolder own = open()) {
            Optional<FileLock> lock = tryLock();
            try {
                if (lock.isPresent() && running().isEmpty()) {
                    own.delete(KUBECONFIG);
                    own.delete(RECORD);
                    own.delete(LAST_WORD);
                    own.delete(LOCK);
                    Files.delete(folder);
                }
            } finally {
                lock.ifPresent(FileLock::close);
            }
        } catch (NoSuchFileException | DirectoryNotEmptyException e) {
            // The folder is gone, or holds files that are not Nodepath's.
            return;
        }
    }

    private Optional<FileLock> tryLock() throws IOException {
        return FileLock.tryAcquire(Syscalls.load(), folder.resolve(LOCK));
    }

    private Optional<String> read(String file) throws IOException, CommandException {
        try (OwnFolder own = open()) {
            return own.read(file);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private OwnFolder open() throws IOException, CommandException {
        try {
            return OwnFolder.open(folder, OwnFolder.Access.PRIVATE);
        } catch (OwnFolder.RefusedException e) {
            throw refused(e);
        }
    }

    private OwnFolder make() throws IOException, CommandException {
        try {
            if (folder.startsWith(RUN)) {
                // Other parts of Nodepath are beside it.
                SharedFolder.make(RUN);
            }
            return OwnFolder.make(folder, OwnFolder.Access.PRIVATE);
        } catch (OwnFolder.RefusedException e) {
            throw refused(e);
        } catch (IOException e) {
            throw CommandException.failed("folder of the cluster \"" + name + "\": " + folder + " cannot be made: "
                    + e.getClass().getSimpleName() + ": " + e.getMessage()
                    + " (expected: a writable XDG_RUNTIME_DIR, XDG_STATE_HOME or HOME)");
        }
    }

    private CommandException refused(IOException e) {
        return CommandException.failed("folder of the cluster \"" + name + "\": " + e.getMessage());
    }
}
