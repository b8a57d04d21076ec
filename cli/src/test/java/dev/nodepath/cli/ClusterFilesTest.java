package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.linux.io.FileLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The place of a cluster's files, and that other users' files are never taken. */
class ClusterFilesTest {
    private static final int SOMEBODY = 61234;
    private static final String SECRET = "of the victim";

    @TempDir
    private Path folder;

    private Path prepared = Path.of("");

    private interface Use {
        void run(ClusterFiles files) throws IOException, CommandException;
    }

    @BeforeEach
    void prepare() {
        prepared = folder.resolve("nodepath/default");
    }

    @ParameterizedTest
    @CsvSource({
        "XDG_RUNTIME_DIR=@/run,                      @/run/nodepath/default",
        "XDG_RUNTIME_DIR=@/run XDG_STATE_HOME=@/s,   @/run/nodepath/default",
        "XDG_RUNTIME_DIR=@/none XDG_STATE_HOME=@/s,  @/s/nodepath/default",
        "XDG_RUNTIME_DIR= XDG_STATE_HOME=@/s HOME=@, @/s/nodepath/default",
        "XDG_RUNTIME_DIR=run XDG_STATE_HOME=s HOME=@/h, @/h/.local/state/nodepath/default",
        "HOME=,                                      @/home/.local/state/nodepath/default",
    })
    void isNotBelowTheFolderOfTemporaryFiles(String variables, String expected) throws Exception {
        Files.createDirectory(folder.resolve("run"));
        Map<String, String> environment = new HashMap<>();
        for (String each : variables.replace("@", folder.toString()).split(" ", -1)) {
            environment.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        assertThat(ClusterFiles.of(new ClusterName(), false, environment, folder.resolve("home"))
                        .folder())
                .hasToString(expected.replace("@", folder.toString()));
    }

    @Test
    void ofRootIsBelowRun() throws Exception {
        assertThat(ClusterFiles.of(name("--name=b"), true, Map.of("XDG_RUNTIME_DIR", "/x"), folder)
                        .folder())
                .hasToString("/run/nodepath/clusters/b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../b", "a/b", "A", "-a", "a\n", "a b", "é"})
    void refusesANameThatIsNoFolders(String name) {
        assertThatThrownBy(() -> name("--name=" + name).value())
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("(expected: 1 to 63 of a-z, 0-9 and -)");
    }

    @Test
    void refusesARuntimeFolderOfSomebodyElse() throws Exception {
        Path runtime = Files.createDirectory(folder.resolve("run"));
        Files.setPosixFilePermissions(runtime, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> ClusterFiles.of(
                        new ClusterName(), false, Map.of("XDG_RUNTIME_DIR", runtime.toString()), folder))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("XDG_RUNTIME_DIR: " + runtime + ": mode rwxrwxrwx");
    }

    /** No command does anything with a folder that another user has prepared. */
    @ParameterizedTest
    @ValueSource(strings = {"somebody's", "writable", "link", "link of the parent", "writable parent"})
    void usesNoPreparedFolder(String attack) throws Exception {
        Path attackers = folder.resolve("attackers");
        Files.createDirectories(attackers);
        Files.writeString(attackers.resolve("kubeconfig"), "users: [{user: {exec: {command: attack}}}]");
        Files.writeString(
                attackers.resolve("cluster"), ProcessHandle.current().pid() + "\n" + Instant.now() + "\n--x\n");
        mode(attackers, "rwx------");
        if (attack.equals("link of the parent")) {
            Files.createDirectory(folder.resolve("elsewhere"));
            Files.move(attackers, folder.resolve("elsewhere/default"));
            Files.createSymbolicLink(prepared.getParent(), folder.resolve("elsewhere"));
            giveAway(folder.resolve("elsewhere"));
        } else {
            mode(
                    Files.createDirectories(prepared.getParent()),
                    attack.equals("writable parent") ? "rwxrwxrwx" : "rwx------");
            if (attack.equals("link")) {
                Files.createSymbolicLink(prepared, attackers);
            } else {
                Files.move(attackers, prepared);
            }
            if (attack.equals("writable")) {
                mode(prepared, "rwxrwxrwx");
            }
            if (attack.equals("somebody's")) {
                giveAway(prepared);
            }
        }
        Map<String, Use> uses = new LinkedHashMap<>();
        uses.put("running", ClusterFiles::running);
        uses.put("requireRunning", ClusterFiles::requireRunning);
        uses.put("arguments", ClusterFiles::arguments);
        uses.put("write", files -> files.write(new ClusterRecord(1, Instant.now()), List.of()));
        uses.put("writeKubeconfig", files -> files.writeKubeconfig("mine"));
        uses.put("lock", ClusterFiles::lock);
        uses.put("forget", ClusterFiles::forget);
        uses.put("remove", ClusterFiles::remove);
        ClusterFiles files = files();
        uses.forEach((what, use) -> assertThatThrownBy(() -> use.run(files))
                .as(what)
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("folder of the cluster \"default\": " + folder));
        assertThat(prepared.resolve("kubeconfig")).content().contains("attack");
        assertThat(prepared.resolve("lock")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster", "kubeconfig", "lock", ".cluster.new", ".kubeconfig.new"})
    void writesAndLocksThroughNoLink(String file) throws Exception {
        mode(Files.createDirectories(prepared), "rwx------");
        Path victims = Files.writeString(folder.resolve("victims"), SECRET);
        Path missing = folder.resolve("missing");
        for (Path target : List.of(victims, missing)) {
            Files.deleteIfExists(prepared.resolve(file));
            Files.createSymbolicLink(prepared.resolve(file), target);
            ClusterFiles files = files();
            files.write(new ClusterRecord(1, Instant.now()), List.of());
            files.writeKubeconfig("mine");
            if (file.equals("lock")) {
                assertThatThrownBy(files::lock).isInstanceOf(IOException.class).hasMessageEndingWith("ELOOP");
            } else {
                files.lock().close();
            }
            files.forget();
        }
        assertThat(victims).hasContent(SECRET);
        assertThat(missing).doesNotExist();
    }

    @Test
    void readsNoRecordThroughALink() throws Exception {
        mode(Files.createDirectories(prepared), "rwx------");
        Path record = Files.writeString(folder.resolve("record"), "1\n" + Instant.now() + "\n");
        Files.createSymbolicLink(prepared.resolve("cluster"), record);
        assertThatThrownBy(() -> files().running()).isInstanceOf(IOException.class);
    }

    @Test
    void leavesNothingButWhatAStartHolds() throws Exception {
        ClusterFiles files = files();
        try (FileLock lock = files.lock()) {
            assertThatThrownBy(files::lock)
                    .isInstanceOf(CommandException.class)
                    .hasMessageContaining("a cluster is already starting, says " + prepared.resolve("lock"));
            files.write(new ClusterRecord(1, Instant.EPOCH), List.of("--mode=iptables"));
            assertThat(files.arguments()).containsExactly("--mode=iptables");
            assertThat(files.running()).isEmpty();
            files.remove();
            assertThat(prepared.resolve("lock")).exists();
            assertThat(lock).isNotNull();
        }
        files.remove();
        assertThat(prepared).doesNotExist();
        files.remove();
        assertThatThrownBy(files::requireRunning)
                .hasMessageContaining("no cluster \"default\" is running in " + prepared);
        assertThat(prepared).doesNotExist();
    }

    /** {@code down} looks, then removes; meanwhile {@code up} may begin, or be done. */
    @Test
    void removesNothingOfAClusterThatStartsOrRuns() throws Exception {
        ClusterFiles files = files();
        try (FileLock lock = files.lock()) {
            files.write(new ClusterRecord(1, Instant.EPOCH), List.of());
            files.writeKubeconfig("mine");
            files.remove();
            assertThat(files.kubeconfig()).hasContent("mine");
            assertThat(lock).isNotNull();
        }
        ProcessHandle process = ProcessHandle.current();
        Instant startedAt = process.info().startInstant().orElseThrow();
        files.write(new ClusterRecord(process.pid(), startedAt), List.of());
        files.remove();
        assertThat(files.running()).isPresent();
        assertThat(files.kubeconfig()).hasContent("mine");
    }

    @Test
    void keepsArgumentsAsTheyAre() throws Exception {
        ClusterFiles files = files();
        for (List<String> arguments :
                List.of(List.<String>of(), List.of("--mode=iptables"), List.of("/a\nb", " /c\r\n", "--page=[::1]"))) {
            files.write(new ClusterRecord(1, Instant.EPOCH), arguments);
            assertThat(files.arguments()).isEqualTo(arguments);
        }
    }

    @Test
    void namesTheOtherClustersThatRun() throws Exception {
        ProcessHandle process = ProcessHandle.current();
        ClusterRecord runs =
                new ClusterRecord(process.pid(), process.info().startInstant().orElseThrow());
        files(name("--name=two")).write(runs, List.of());
        files(name("--name=three")).write(runs, List.of());
        files(name("--name=gone")).write(new ClusterRecord(1, Instant.EPOCH), List.of());
        mode(Files.createDirectories(folder.resolve("nodepath/open")), "rwxrwxrwx");

        assertThat(files(name("--name=two")).others()).containsExactly("three");
        assertThatThrownBy(files()::requireRunning)
                .hasMessageContaining("(expected: run 'nodepath up' first, or --name=three or two)");
    }

    private ClusterFiles files() throws IOException, CommandException {
        return files(new ClusterName());
    }

    private ClusterFiles files(ClusterName name) throws IOException, CommandException {
        return ClusterFiles.of(name, false, Map.of("XDG_STATE_HOME", folder.toString()), folder);
    }

    static ClusterName name(String argument) {
        Holder holder = new Holder();
        new CommandLine(holder).parseArgs(argument);
        return holder.name;
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void giveAway(Path path) throws IOException {
        assumeTrue(Files.getAttribute(path, "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(path, "unix:uid", SOMEBODY);
    }

    @Command
    private static final class Holder {
        @Mixin
        private final ClusterName name = new ClusterName();
    }
}
