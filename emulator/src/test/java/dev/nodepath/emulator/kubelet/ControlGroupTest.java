package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A container uses no more than its limits, and a group ends with its container. Like containerd, this needs the
 * machine's control groups.
 */
@Tag("containerd")
class ControlGroupTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final ContainerLimits SMALL = new ContainerLimits(OptionalLong.of(32 << 20), OptionalLong.of(250));

    private Path folder = Path.of("/run");
    private PodPause pause = pause(false);

    @BeforeEach
    void prepare() throws IOException {
        // The root's overlay needs another file system than the root's.
        folder = Files.createTempDirectory(Path.of("/run"), "group");
        pause = pause(false);
    }

    @AfterEach
    void end() throws IOException {
        pause.stop();
        MemoryFolder.removeBelow(folder);
        PodFolder.delete(folder);
    }

    @Test
    void whoUsesMoreMemoryEndsAlone() throws Exception {
        ContainerProcess neighbour = start(SMALL, "sleep", "98761");
        ContainerProcess greedy = start(SMALL, "bash", "-c", "a=$(head -c 99M /dev/zero | tr '\\0' x); echo $?");
        assertThat(greedy.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(137);
        assertThat(greedy.ranOutOfMemory()).isTrue();
        assertThat(neighbour.ended()).isNotDone();
        neighbour.stop(Duration.ZERO);
        assertThat(neighbour.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(137);
        assertThat(neighbour.ranOutOfMemory()).isFalse();
    }

    @Test
    void whoStartsTooManyProcessesDoesSoAlone() throws Exception {
        EntryScript script = script(ContainerLimits.NONE);
        Path enter = script.write(variables(), "");
        ContainerProcess bomb = start(
                script, "bash", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done; b() { b | b & }; b; sleep 98758");
        List<Path> groups = groups(script, enter);
        run(enter, "touch", "/tmp/go");
        Eventually.isTrue(
                "the kernel has refused it one more",
                () -> !limit(groups, "inside/pids.events", "pids.events").equals("max 0"));
        assertThat(Integer.parseInt(limit(groups, "pids.current"))).isLessThanOrEqualTo(1024);
        ContainerProcess other = start(SMALL, "true");
        assertThat(other.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
        bomb.stop(Duration.ZERO);
        assertThat(bomb.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(137);
    }

    /** A process that enters is a member, too. The group ends with the container. */
    @Test
    void aGroupHasTheLimitsAndEndsWithItsContainer() throws Exception {
        EntryScript script = script(SMALL);
        Path enter = script.write(variables(), "");
        ContainerProcess container = start(script, "sleep", "98762");
        List<Path> groups = groups(script, enter);
        assertThat(limit(groups, "memory.max", "memory.limit_in_bytes")).isEqualTo("33554432");
        assertThat(limit(groups, "cpu.max", "cpu.cfs_quota_us")).startsWith("25000");
        assertThat(limit(groups, "pids.max")).isEqualTo("1024");
        assertEndsWithItsGroups(container, groups);
    }

    /** The root of a user namespace may mount the hierarchies, and write to the visible groups. */
    @Test
    void whoMountsTheTreesOfGroupsSeesNoneOfOthersAndNoLimit() throws Exception {
        EntryScript script = script(ContainerLimits.NONE);
        Path enter = script.write(variables(), "");
        ContainerProcess container = start(script, "sleep", "98755");
        List<Path> groups = groups(script, enter);
        assertThat(run(enter, "cat", "/proc/self/cgroup").lines())
                .allSatisfy(line -> assertThat(line).endsWith("/inside"));
        String mounts = run(enter, "unshare", "--user", "--map-root-user", "--mount", "--cgroup", "sh", "-c", """
                mount -t cgroup -o pids none /mnt || mount -t cgroup2 none /mnt
                ls -d /mnt/cgroup.procs /mnt/nodepath-*
                echo max >/mnt/pids.max
                mkdir /mnt/deeper
                (echo 0 >/mnt/deeper/cgroup.procs && sleep 98754) >/dev/null 2>&1 &
                """);
        assertThat(mounts).contains("/mnt/cgroup.procs\n", "/mnt/nodepath-*': No such file");
        assertThat(limit(groups, "pids.max")).isEqualTo("1024");
        assertEndsWithItsGroups(container, groups);
    }

    /** As a process that has entered the container sees it. */
    private static List<Path> groups(EntryScript script, Path enter) throws Exception {
        Eventually.isTrue(
                "it is made", () -> EntryScript.processOne(script.folder()).isPresent());
        String name = run(enter, "cat", "/proc/self/cgroup").replaceAll("(?s).*(nodepath-[0-9a-f-]+).*", "$1");
        List<Path> groups = new ArrayList<>();
        // Unlike Files.walk, it goes on when another test's group has ended meanwhile.
        Files.walkFileTree(Path.of("/sys/fs/cgroup"), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                if (folder.endsWith(name)) {
                    groups.add(folder);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException problem) {
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException problem) {
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(groups).isNotEmpty();
        return groups;
    }

    private static void assertEndsWithItsGroups(ContainerProcess container, List<Path> groups) throws Exception {
        container.stop(Duration.ZERO);
        assertThat(container.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(137);
        assertThat(groups).allSatisfy(each -> assertThat(each).doesNotExist());
    }

    private static String run(Path enter, String... command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(enter.toString()));
        words.addAll(List.of(command));
        return ShortCommand.run(new ProcessBuilder(words).redirectErrorStream(true), "", LIMIT)
                .output();
    }

    /** The process outside that waits for it is stopped with it. */
    @Test
    void whoEnteredAndWasStoppedKeepsNoContainer() throws Exception {
        EntryScript script = script(ContainerLimits.NONE);
        Path enter = script.write(variables(), "");
        ContainerProcess container = start(script, "sleep", "98756");
        List<Path> groups = groups(script, enter);
        Process entered = new ProcessBuilder(enter.toString(), "bash", "-c", "touch /tmp/in; kill -STOP $$").start();
        Eventually.isTrue(
                "it is in",
                () -> run(enter, "sh", "-c", "test -e /tmp/in && echo yes").equals("yes\n"));
        Eventually.isTrue(
                "it waits outside, stopped",
                () -> Files.readString(Path.of("/proc", String.valueOf(entered.pid()), "status"))
                        .contains("State:\tT"));
        assertEndsWithItsGroups(container, groups);
        assertThat(entered.waitFor()).isEqualTo(137);
    }

    /** The kernel accepts no quota above that of a group around it, nor one of any size. */
    @Test
    void moreProcessorsThanThereAreAreNoLimit() throws Exception {
        ContainerLimits many = new ContainerLimits(OptionalLong.empty(), OptionalLong.of(Long.MAX_VALUE / 1000));
        assertThat(start(many, "true").ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isZero();
    }

    private static String limit(List<Path> groups, String... names) throws IOException {
        for (Path group : groups) {
            for (String name : names) {
                if (Files.exists(group.resolve(name))) {
                    return Files.readString(group.resolve(name)).strip();
                }
            }
        }
        return "no " + String.join(", ", names);
    }

    /** A process with a mount namespace of its own is not found by the container's mounts. */
    @Test
    void allOfItsProcessesEndWithItWhereProcessesAreShared() throws Exception {
        pause = pause(true);
        ContainerProcess container = start(
                ContainerLimits.NONE,
                "bash",
                "-c",
                "unshare --user --map-root-user --mount sleep 98760 & until pgrep -x sleep; do sleep 0.1; done; exit 3");
        assertThat(container.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(3);
        Eventually.isTrue(
                "none is left",
                () -> ProcessHandle.allProcesses()
                        .noneMatch(each -> each.info().commandLine().orElse("").contains("sleep 98760")));
    }

    private PodPause pause(boolean sharesProcesses) {
        return new PodPause(
                folder.resolve("pause"),
                new PodFiles(folder.resolve("own-files")),
                () -> Path.of("/proc/self/ns/net"),
                "desk",
                sharesProcesses);
    }

    private static Map<String, String> variables() {
        return Map.of("PATH", System.getenv("PATH"));
    }

    private EntryScript script(ContainerLimits limits) throws IOException {
        return new EntryScript(
                Files.createTempDirectory(folder, "container"), pause, List.of(), limits, Optional.empty());
    }

    private ContainerProcess start(ContainerLimits limits, String... command) throws IOException {
        EntryScript script = script(limits);
        script.write(variables(), "");
        return start(script, command);
    }

    private static ContainerProcess start(EntryScript script, String... command) throws IOException {
        return ContainerProcess.start(
                "test",
                script,
                List.of(command),
                Console.HELD,
                new ContainerLog(script.folder().resolve("log"), InstantSource.system()));
    }
}
