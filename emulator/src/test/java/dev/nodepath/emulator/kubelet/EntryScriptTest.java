package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values of a manifest reach a container's process unchanged, and are never text of a shell. The container reaches
 * nothing outside.
 */
@Tag("netns")
class EntryScriptTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The root's overlay needs another file system than the root's. */
    private static final Path RUN = Path.of("/run");

    private Path folder = RUN;
    private Path attacked = RUN;
    private PodPause pause = pause(false);
    private final Map<Path, EntryScript> scripts = new HashMap<>();

    @BeforeEach
    void prepare() throws IOException {
        folder = Files.createTempDirectory(RUN, "entry");
        pause = pause(false);
        // The container has this folder, too.
        attacked = Files.createDirectories(folder.resolve("attacks")).resolve("attacked");
    }

    @AfterEach
    void noneWasAttacked() throws IOException {
        pause.stop();
        MemoryFolder.removeBelow(folder);
        assertThat(attacked).doesNotExist();
        try (Stream<Path> tree = Files.walk(folder)) {
            for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Each would make the file {@code attacked} if a shell read it. */
    private static List<String> hostile() {
        return List.of(
                "A;touch @;B",
                "$(touch @)",
                "`touch @`",
                "'; touch @; '",
                "\"; touch @; \"",
                "'\\''; touch @ #",
                "x\ntouch @\n",
                "x\n",
                "x && touch @",
                "x | touch @ &",
                "${IFS}$(touch${IFS}@)",
                "-S touch @",
                "--help",
                "-",
                "--",
                " ",
                "*",
                "~",
                "\\",
                "a=b",
                "spring.datasource.url",
                "with-dash",
                "BASH_FUNC_mount%%",
                "\t\r\u007f");
    }

    @Test
    void takesNamesAndValuesOfVariablesAsTheyAre() throws Exception {
        Map<String, String> hostile = new LinkedHashMap<>();
        for (String text : hostile()) {
            hostile.put(attack(text).replace("=", ":"), attack(text) + "=" + attack(text));
        }
        Path enter = write(List.of(), variables(hostile), "");
        List<String> expected = new ArrayList<>();
        hostile.forEach((name, value) -> expected.add(name + "=" + value));
        // The kernel's copy of the process's environment.
        assertThat(List.of(run(enter, "cat", "/proc/self/environ").split("\0"))).containsAll(expected);
    }

    @Test
    void givesNothingOfWhoeverRunsIt() throws Exception {
        Path enter = write(List.of(), Map.of("PATH", "/usr/bin:/bin", "a.b-c", "d"), "");
        ProcessBuilder builder = builder(enter, "cat", "/proc/self/environ");
        builder.environment().putAll(Map.of("TOKEN", "secret", "HOME", "/home/of/somebody", "TERM", "vt100"));
        assertThat(output(builder).split("\0")).containsExactlyInAnyOrder("PATH=/usr/bin:/bin", "a.b-c=d");
    }

    @Test
    void takesWordsOfACommandAsTheyAre() throws Exception {
        List<String> words = hostile().stream().map(this::attack).toList();
        List<String> command = new ArrayList<>(List.of("printf", "%s|", "--"));
        command.addAll(words);
        Path enter = write(List.of(), variables(Map.of()), "");
        assertThat(run(enter, command.toArray(String[]::new))).isEqualTo("--|" + String.join("|", words) + "|");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A=B", "-", "--help", "$(touch @)", "x\ntouch @\n"})
    void takesTheNameOfAProgramAsItIs(String text) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        String name = attack(text).replace('/', ':');
        Files.copy(Path.of("/bin/true"), bin.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        Path enter =
                write(List.of(PodVolumes.Mount.of(bin, "/programs", true)), variables(Map.of("PATH", "/programs")), "");
        assertThat(run(enter, name)).isEmpty();
    }

    @Test
    void takesPathsAsTheyAre() throws Exception {
        List<PodVolumes.Mount> mounts = new ArrayList<>();
        List<String> command =
                new ArrayList<>(List.of("sh", "-c", "cat -- \"$@\"; touch -- \"$@\" 2>&1 | wc -l", "sh"));
        StringBuilder expected = new StringBuilder();
        for (String text : hostile()) {
            String name = attack(text).replace('/', ':');
            Path source = Files.createDirectories(folder.resolve("volumes").resolve(name));
            Files.writeString(source.resolve("file"), "content of " + name);
            // One path that the machine has, and one that it lacks.
            Path has = Files.createDirectories(folder.resolve("machine").resolve(name));
            for (String path : List.of(has.toString(), "/not/on/this/machine/" + name)) {
                mounts.add(PodVolumes.Mount.of(source, path, true));
                command.add(path + "/file");
                expected.append("content of ").append(name);
            }
        }
        Path enter = write(mounts, variables(Map.of()), "");
        // Each touch fails, with a line: they are read-only.
        String output = run(enter, command.toArray(String[]::new));
        assertThat(output).startsWith(expected);
        assertThat(Integer.parseInt(output.substring(expected.length()).strip()))
                .isGreaterThanOrEqualTo(mounts.size());
    }

    @Test
    void aMountInAVolumeIsSeenWhateverTheirOrder() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "own");
        Path etc = Files.createDirectories(folder.resolve("etc"));
        Files.writeString(etc.resolve("conf"), "of the volume");
        Path late = Files.writeString(folder.resolve("late"), "the later one");
        List<PodVolumes.Mount> mounts = new ArrayList<>(List.of(
                PodVolumes.Mount.of(hosts, "/etc/hosts", false),
                PodVolumes.Mount.of(hosts, "/etc/conf.d/a/b", false),
                PodVolumes.Mount.of(etc, "/etc", false)));
        Path enter = write(mounts, variables(Map.of()), "");
        assertThat(run(enter, "cat", "/etc/hosts", "/etc/conf.d/a/b", "/etc/conf"))
                .isEqualTo("ownownof the volume");
        mounts.add(PodVolumes.Mount.of(late, "/etc/hosts", false));
        assertThat(run(write(mounts, variables(Map.of()), ""), "cat", "/etc/hosts"))
                .isEqualTo("the later one");
    }

    /** Another container of the Pod may have put it there. */
    @Test
    void aLinkInAVolumeLeadsNoMountToTheMachine() throws Exception {
        Path machine = Files.createDirectories(folder.resolve("of-the-machine"));
        Files.writeString(machine.resolve("secret"), "secret");
        Path volume = Files.createDirectories(folder.resolve("shared"));
        Path link = Files.createSymbolicLink(volume.resolve("part"), machine);
        Path other = Files.createDirectories(folder.resolve("other"));
        for (List<PodVolumes.Mount> mounts : List.of(
                List.of(new PodVolumes.Mount(volume, Path.of("part"), "/here", false)),
                List.of(new PodVolumes.Mount(volume, Path.of("part/new/a"), "/here", false)),
                List.of(PodVolumes.Mount.of(volume, "/here", false), PodVolumes.Mount.of(other, "/here/part", false)),
                // The machine has a link to /run there.
                List.of(
                        PodVolumes.Mount.of(volume, "/run/app", false),
                        PodVolumes.Mount.of(other, "/var/run/app/part", false)),
                List.of(
                        PodVolumes.Mount.of(volume, "/dev/shm", false),
                        PodVolumes.Mount.of(other, "/dev/./x/../shm/part", false)))) {
            Path enter = write(mounts, variables(Map.of()), "");
            assertThatThrownBy(() -> run(enter, "true"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("leads out of the volume");
        }
        Files.delete(link);
        Files.createDirectories(volume.resolve("inside"));
        Files.createSymbolicLink(link, Path.of("inside"));
        for (String path : List.of("/proc/1/root/tmp", "/proc/self/cwd/x", "/dev/../proc/x")) {
            Path kernel = write(List.of(PodVolumes.Mount.of(other, path, false)), variables(Map.of()), "");
            assertThatThrownBy(() -> run(kernel, "true")).hasMessageContaining("expected: a path outside of /proc");
        }
        Path full = write(
                List.of(
                        new PodVolumes.Mount(volume, Path.of("part/new"), "/here", true),
                        PodVolumes.Mount.of(other, "/here/deep/er", false)),
                variables(Map.of()),
                "");
        assertThatThrownBy(() -> run(full, "true")).hasMessageContaining("the read-only volume at /here has");
        assertThat(machine).isDirectoryNotContaining("glob:**/new");
    }

    @Test
    void partsOfVolumesAndVolumesInVolumesAreMountedAsAsked() throws Exception {
        Path volume = Files.createDirectories(folder.resolve("shared"));
        Files.writeString(Files.createDirectories(volume.resolve("inside")).resolve("file"), "of a part ");
        Files.createSymbolicLink(volume.resolve("link"), Path.of("inside"));
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(other.resolve("file"), "of another");
        Path enter = write(
                List.of(
                        new PodVolumes.Mount(volume, Path.of("link"), "/here", false),
                        PodVolumes.Mount.of(other, "/here/made/deep", true),
                        new PodVolumes.Mount(volume, Path.of("inside/file"), "/here/made/deep/file", false)),
                variables(Map.of()),
                "");
        String script = "cat /here/file /here/made/deep/file; echo a >/here/b; ! touch /here/made/deep/c 2>/dev/null";
        for (int run = 0; run < 2; run++) {
            assertThat(run(enter, "sh", "-c", script)).isEqualTo("of a part of a part ");
        }
        Path lost = Files.createDirectories(folder.resolve("lost"));
        Files.createSymbolicLink(lost.resolve("link"), Path.of("nowhere"));
        Path hidden = write(
                List.of(
                        PodVolumes.Mount.of(volume, lost.resolve("nowhere").toString(), false),
                        PodVolumes.Mount.of(other, lost.resolve("link/inside").toString(), false)),
                variables(Map.of()),
                "");
        assertThat(run(hidden, "cat", lost.resolve("link/inside/file").toString(), lost + "/nowhere/inside/file"))
                .isEqualTo("of anotherof a part ");
        Path memory = write(
                List.of(
                        PodVolumes.Mount.of(other, "/dev/shm/other", false),
                        PodVolumes.Mount.of(other, "/sys/fs", false),
                        PodVolumes.Mount.of(volume, "/p", false),
                        PodVolumes.Mount.of(volume, "/p/", false),
                        PodVolumes.Mount.of(other, "/p/x", false),
                        PodVolumes.Mount.of(volume, "/q", false),
                        PodVolumes.Mount.of(other, "/q/y", false)),
                variables(Map.of()),
                "");
        assertThat(run(memory, "cat", "/dev/shm/other/file", "/p/x/file", "/q/y/file", "/sys/fs/file"))
                .isEqualTo("of another".repeat(4));
        assertThat(volume.resolve("inside/b")).hasContent("a");
        assertThat(other).isDirectoryContaining("glob:**/file").isDirectoryNotContaining("glob:**/c");
    }

    @ParameterizedTest
    @CsvSource({"/etc/hosts, true, true", "/etc/hosts, false, true", "/etc/other, true, false", "/var, true, true"})
    void aReadOnlyVolumeHasNoPlaceForMore(String path, boolean readOnly, boolean expected) throws IOException {
        Path etc = Files.createDirectories(folder.resolve("etc"));
        Files.writeString(etc.resolve("hosts"), "");
        assertThat(PodVolumes.Mount.of(etc, "/etc", readOnly).hasPlace(path)).isEqualTo(expected);
    }

    @Test
    void takesMountsOfTheMachineAsTheyAre() throws Exception {
        // The kernel's list of mounts is a line each, with blanks between its fields.
        Path mounted = Files.createTempDirectory(Path.of("/var/tmp"), "a b\t\\040\n");
        try {
            output(new ProcessBuilder("mount", "-t", "tmpfs", "tmpfs", mounted.toString()));
            try {
                Files.writeString(mounted.resolve("file"), "content");
                Path source = Files.createDirectories(folder.resolve("volume"));
                Path enter = write(
                        List.of(PodVolumes.Mount.of(source, "/not/on/this/machine", false)), variables(Map.of()), "");
                assertThat(run(enter, "cat", mounted.resolve("file").toString()))
                        .isEqualTo("content");
            } finally {
                output(new ProcessBuilder("umount", mounted.toString()));
            }
        } finally {
            Files.delete(mounted);
        }
    }

    /** A chroot of the machine has a /proc, which would show its processes, and which no overlay takes. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void seesNoProcessesOfTheMachineInAChroot(boolean layered) throws Exception {
        Path mounted = Files.createTempDirectory(Path.of("/var/tmp"), "proc");
        try {
            output(new ProcessBuilder("mount", "-t", "proc", "proc", mounted.toString()));
            try {
                Path enter = write(List.of(), variables(Map.of()), "");
                ProcessBuilder look = builder(enter, layered, "sh", "-c", "ls " + mounted + "; echo it runs");
                assertThat(ShortCommand.run(look, "", LIMIT)).isEqualTo(new ShortCommand(0, "it runs\n"));
            } finally {
                output(new ProcessBuilder("umount", mounted.toString()));
            }
        } finally {
            Files.delete(mounted);
        }
    }

    /** With a mount below it, a folder of the machine is taken piece by piece. */
    @Test
    void leavesOutWhatGoesFromTheMachineMeanwhile() throws Exception {
        Path machine = Files.createTempDirectory(Path.of("/var/tmp"), "entry");
        Path mounted = Files.createDirectory(machine.resolve("mounted"));
        Path file = Files.createFile(machine.resolve("file"));
        Path other = Files.createDirectory(machine.resolve("folder"));
        try {
            MemoryFolder.make(mounted, "mode=755");
            Files.createFile(mounted.resolve("inside"));
            ProcessBuilder list =
                    builder(write(List.of(), variables(Map.of()), ""), "ls", machine.toString(), mounted.toString());
            Files.delete(file);
            Files.delete(other);
            assertThat(output(list)).contains("mounted", "inside");
        } finally {
            MemoryFolder.remove(mounted);
            Files.deleteIfExists(file);
            Files.deleteIfExists(other);
            Files.delete(mounted);
            Files.delete(machine);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"A;touch @;B", "-P", "x\ntouch @\n"})
    void takesTheWorkingFolderAsItIs(String text) throws Exception {
        String name = attack(text).replace('/', ':');
        Path here = Files.createDirectories(folder.resolve("machine").resolve(name));
        Path enter = write(List.of(), variables(Map.of()), here.toString());
        assertThat(run(enter, "pwd")).isEqualTo(here + "\n");
    }

    @Test
    void noVariableHidesTheProgramsThatEnter() throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        for (String program :
                List.of("mount", "umount", "cp", "hostname", "env", "setpriv", "nsenter", "setsid", "sh", "bash")) {
            Path fake = Files.writeString(bin.resolve(program), "#!/bin/sh\n/bin/touch " + attacked + "\n");
            assertThat(fake.toFile().setExecutable(true)).isTrue();
        }
        Path enter = write(
                List.of(PodVolumes.Mount.of(bin, "/not/on/this/machine", false)),
                variables(Map.of("PATH", "/not/on/this/machine", "BASH_ENV", "/not/on/this/machine/sh")),
                "");
        assertThat(run(enter, "/bin/echo", "it")).isEqualTo("it\n");
    }

    @Test
    void refusesANul() {
        assertThatThrownBy(() -> write(List.of(), variables(Map.of("A", "x\0B=y")), ""))
                .isInstanceOf(IOException.class)
                .hasMessage("\"A=x\\0B=y\": has a NUL (expected: text without one)");
    }

    @Test
    void endsAsItsCommandDoes() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        assertThat(exitCode(enter, "sh", "-c", "exit 7")).isEqualTo(7);
        assertThat(exitCode(enter, "no-such-program")).isEqualTo(127);
        assertThat(run(enter, "hostname")).isEqualTo("desk\n");
    }

    /** The killer: the cluster, another container of its Pod, or the kernel when memory is short. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoIsKilledEndsWith137AndLogsNothing(boolean sharesProcesses) throws Exception {
        pause = pause(sharesProcesses);
        Path enter = write(List.of(), variables(Map.of()), "");
        Process container =
                builder(enter, "sleep", "98764").redirectErrorStream(true).start();
        Eventually.isTrue(
                "it runs",
                () -> EntryScript.processOne(enter.resolveSibling(""))
                        .flatMap(process -> process.info().command())
                        .filter(command -> command.endsWith("/sleep"))
                        .isPresent());
        EntryScript.processOne(enter.resolveSibling("")).orElseThrow().destroyForcibly();
        assertThat(new String(container.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(container.waitFor()).isEqualTo(137);
    }

    /**
     * A shell cannot undo signals that were ignored before it. The C library's own signals, 32 and 33, are left alone.
     */
    @Test
    void ignoresNoSignalFromTheBeginning() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        assertThat(run(enter, "sh", "-c", "grep -E 'SigBlk|SigIgn' /proc/self/status"))
                .matches("SigBlk:\\t0{16}\nSigIgn:\\t.{8}[08]0{7}\n");
    }

    @Test
    void endsWithWhoStartedIt() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        Process outside = builder(enter, "sleep", "98763").start();
        EntryScript.expectProcessOne(enter.resolveSibling(""));
        Eventually.isTrue(
                "it is made",
                () -> EntryScript.processOne(enter.resolveSibling("")).isPresent());
        ProcessHandle inside = EntryScript.processOne(enter.resolveSibling("")).orElseThrow();
        outside.destroyForcibly();
        inside.onExit().get();
    }

    @Test
    void itsCommandIsProcessOneAndSeesNoOther() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        assertThat(run(enter, "sh", "-c", "echo $$; echo /proc/[0-9]*")).isEqualTo("1\n/proc/1\n");
    }

    @Test
    void whoEntersIsWithTheCommandUntilItEnds() throws Exception {
        Path enter = write(List.of(), variables(Map.of("A", "b c")), "/tmp");
        Process container =
                builder(enter, "sh", "-c", "echo here >file; exec sleep 98765").start();
        EntryScript.expectProcessOne(enter.resolveSibling(""));
        String look = "tr '\\0' ' ' </proc/1/cmdline; echo; hostname; pwd; cat file; echo \"$A\"";
        Eventually.isTrue(
                "it is with the command",
                () -> ShortCommand.run(new ProcessBuilder(enter.toString(), "sh", "-c", look), "", LIMIT)
                        .output()
                        .equals("sleep 98765 \ndesk\n/tmp\nhere\nb c\n"));
        assertThat(Path.of("/tmp/file")).doesNotExist();
        container.destroyForcibly().waitFor();
        EntryScript.forgetProcessOne(enter.resolveSibling(""));
        ShortCommand late = ShortCommand.run(new ProcessBuilder(enter.toString(), "true"), "", LIMIT);
        assertThat(late.exitCode()).isEqualTo(1);
    }

    /** In the words of Kubernetes' runtimes. */
    @Test
    void namesACommandThatTheContainerLacks() throws Exception {
        Path enter = write(List.of(), variables(Map.of("PATH", "/usr/bin:/tmp/own:/tmp/way")), "");
        String make = "mkdir /tmp/own /tmp/far; echo >/tmp/own/text; cp /bin/true /tmp/far/real;"
                + " ln -s /tmp/far/real /tmp/own/linked; ln -s far /tmp/way; ln -s /tmp/way /tmp/long; exec sleep 98763";
        Process container = builder(enter, "sh", "-c", make).start();
        try {
            EntryScript.expectProcessOne(enter.resolveSibling(""));
            Eventually.isTrue(
                    "a link in a folder of its own",
                    () -> ShortCommand.run(new ProcessBuilder(enter.toString(), "linked"), "", LIMIT)
                                    .exitCode()
                            == 0);
            for (Map.Entry<String, String> each : Map.of(
                            "missing", "executable file not found in $PATH",
                            "text", "executable file not found in $PATH",
                            "/tmp/missing", "stat /tmp/missing: no such file or directory",
                            "/tmp/own/text", "permission denied",
                            "/tmp/own", "is a directory")
                    .entrySet()) {
                ShortCommand missing = ShortCommand.run(
                        new ProcessBuilder(enter.toString(), each.getKey(), "x").redirectErrorStream(true), "", LIMIT);
                assertThat(missing.output()).isEqualTo("exec: \"" + each.getKey() + "\": " + each.getValue() + "\n");
                assertThat(missing.exitCode()).isEqualTo(each.getKey().startsWith("/tmp/own") ? 126 : 127);
            }
            for (Map.Entry<String, Integer> each : Map.of(
                            "/tmp/own/linked", 0, "real", 0, "/tmp/long/real", 0, "true", 0)
                    .entrySet()) {
                ProcessBuilder command = new ProcessBuilder(enter.toString(), each.getKey())
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
                assertThat(ShortCommand.run(command, "", LIMIT).exitCode())
                        .as(each.getKey())
                        .isEqualTo(each.getValue());
            }
        } finally {
            container.destroyForcibly().waitFor();
        }
    }

    @Test
    void containersOfAPodShareMemoryAndHostnameAndNoProcesses() throws Exception {
        Path one = write(List.of(), variables(Map.of()), "");
        Path other = write(List.of(), variables(Map.of()), "");
        String look =
                "echo a >/dev/shm/$1; ls /dev/shm; hostname; readlink /proc/self/ns/ipc /proc/self/ns/uts; echo $$";
        String ofOne = run(one, "sh", "-c", look, "sh", "one");
        assertThat(ofOne).startsWith("one\ndesk\n").endsWith("\n1\n");
        assertThat(run(other, "sh", "-c", look, "sh", "other")).isEqualTo(ofOne.replaceFirst("one\n", "one\nother\n"));
        Process outside = new ProcessBuilder("readlink", "/proc/self/ns/ipc").start();
        assertThat(ofOne).doesNotContain(new String(outside.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(exitCode(one, "dd", "if=/dev/zero", "of=/dev/shm/full", "bs=1M", "count=100"))
                .isNotZero();
    }

    @Test
    void containersThatShareProcessesSeeEachOthersAndNotBehindThem() throws Exception {
        pause = pause(true);
        Path first = write(List.of(), variables(Map.of()), "");
        Path second = write(List.of(), variables(Map.of()), "");
        ContainerLog log = new ContainerLog(folder.resolve("log"), InstantSource.system());
        log.rotate();
        List<String> command = List.of("sh", "-c", "setsid sleep 98763 & ((exit 3) &); exec sleep 98762");
        ContainerProcess container = ContainerProcess.start(
                "first", Objects.requireNonNull(scripts.get(first)), command, new Console(false, false, false), log);
        String all = "cat /proc/1/comm; cat /proc/[0-9]*/cmdline | tr '\\0' ' '";
        Eventually.isTrue("they are there", () -> run(second, "sh", "-c", all).contains("sleep 98763 "));
        assertThat(run(second, "sh", "-c", all)).startsWith("pause\n").contains("sleep 98762 ");
        assertThat(exitCode(second, "ls", "/proc/1/root/")).isNotZero();
        assertThat(exitCode(second, "sh", "-c", "kill -TERM 1; kill -KILL 1")).isZero();
        Eventually.isTrue(
                "orphans are collected",
                () -> !run(second, "sh", "-c", "cat /proc/[0-9]*/stat 2>/dev/null; :")
                        .contains(") Z "));
        // Its first process ends, and so do the others.
        assertThat(exitCode(second, "sh", "-c", "kill $(grep -l 9876[2] /proc/[0-9]*/cmdline | tr -dc '0-9\\n')"))
                .isZero();
        assertThat(container.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(128 + 15);
        Eventually.isTrue("none is left", () -> !run(second, "sh", "-c", all).contains("sleep 98763"));
    }

    /** Each line tries something outside; it must fail, or be gone with the container. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "kill -9 @PID",
                "cat /proc/@PID/environ",
                "cat /proc/[0-9]*/environ | grep TOKEN=",
                "ls /proc/@PID",
                "mount -t tmpfs tmpfs /mnt",
                "mount -o remount,rw /sys",
                "mount -o remount,rw /proc/sys",
                "umount /proc/sys",
                "mknod /tmp/disk b 254 0 && head -c 1 /tmp/disk",
                "mknod /dev/shm/null c 1 3 && echo a >/dev/shm/null",
                "echo b >/proc/sysrq-trigger",
                "echo 1 >/proc/sys/vm/drop_caches",
                "echo x >/proc/sys/kernel/core_pattern",
                "echo 1 >/sys/kernel/mm/ksm/run",
                "nsenter --target 1 --mount true",
                "nsenter --net=/proc/1/ns/net true",
                "hostname other",
                "date -s 2001-01-01",
                "dmesg",
                "ls /run/nodepath /run/netns",
                "ls /dev/vda /dev/sda /dev/mem",
                "unshare --user --map-root-user --mount umount /proc/sys",
                "unshare --user --map-root-user --mount mount -o remount,rw /sys",
                "chroot /proc/1/root/.. ls @FILE",
            })
    void reachesNothingOutside(String attack) throws Exception {
        Path file = Files.writeString(folder.resolve("outside"), "");
        ProcessBuilder victim = new ProcessBuilder("sleep", "98764");
        victim.environment().put("TOKEN", "secret");
        Process outside = victim.start();
        try {
            Path enter = write(List.of(), variables(Map.of()), "");
            String line = attack.replace("@PID", String.valueOf(outside.pid())).replace("@FILE", file.toString());
            assertThat(exitCode(enter, "sh", "-c", line)).isNotZero();
            assertThat(outside.isAlive()).isTrue();
        } finally {
            outside.destroyForcibly().waitFor();
        }
    }

    /** When the machine's memory ends, the kernel looks for a process to end. */
    @Test
    void aContainerEndsBeforeTheCluster() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        Process container = builder(enter, "sleep", "98753").start();
        try {
            EntryScript.expectProcessOne(enter.resolveSibling(""));
            String look = "cat /proc/1/oom_score_adj /proc/self/oom_score_adj";
            assertThat(output(new ProcessBuilder(enter.toString(), "sh", "-c", look)))
                    .isEqualTo("1000\n1000\n");
        } finally {
            container.destroyForcibly().waitFor();
        }
    }

    /**
     * Programs that enter, and their libraries, may be the container's: they must not get more privileges than it has.
     */
    @Test
    void whoEntersRunsNothingOfAContainerWithMorePrivileges() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        String replace = """
                cp /bin/sh /real-sh
                cd "$ATTACKS" && printf '#!/real-sh\n%s' "$FAKE" >fake && chmod 755 fake
                for each in env setpriv chroot nsenter readlink sleep bash sh; do
                    for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin; do
                        /real-sh -c 'rm -f "$0" && cp fake "$0"' $folder/$each
                    done
                done
                echo /not/there.so >/etc/ld.so.preload
                rm -f /etc/ld.so.cache
                : >replaced
                read -r _
                """;
        Process container = builder(enter, "sh", "-c", attackWith(replace)).start();
        try {
            EntryScript.expectProcessOne(enter.resolveSibling(""));
            Eventually.isTrue("all are replaced", () -> Files.exists(attacked.resolveSibling("replaced")));
            ShortCommand.run(new ProcessBuilder(enter.toString(), "env"), "", LIMIT);
            ranAsTheContainer();
        } finally {
            container.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/usr/bin", "/usr/sbin"})
    void aVolumeInPlaceOfProgramsGetsNoMorePrivileges(String path) throws Exception {
        Path programs = Files.createDirectories(folder.resolve("programs"));
        Path shell = Files.createDirectories(folder.resolve("shell"));
        Files.copy(Path.of("/bin/sh"), shell.resolve("sh"), StandardCopyOption.COPY_ATTRIBUTES);
        for (String program : List.of("umount", "pivot_root", "chroot", "env", "setpriv", "nsenter", "bash", "sh")) {
            Path fake = Files.writeString(programs.resolve(program), attackWith("#!/not/here/sh\n$FAKE"));
            assertThat(fake.toFile().setExecutable(true)).isTrue();
        }
        Path enter = write(
                List.of(PodVolumes.Mount.of(shell, "/not/here", true), PodVolumes.Mount.of(programs, path, true)),
                variables(Map.of()),
                "");
        exitCode(enter, "env");
        if (Files.exists(Path.of(path, "env"))) {
            ranAsTheContainer();
        }
    }

    /** A program that says which capabilities it has. */
    private String attackWith(String script) {
        String fake =
                "while read -r line; do case $line in CapEff*) echo \"$line\" >>@/caps ;; esac; done </proc/self/status";
        String attacks = folder.resolve("attacks").toString();
        return script.replace("\"$FAKE\"", "'" + fake.replace("@", attacks) + "\n'")
                .replace("$FAKE", fake.replace("@", attacks) + "\n")
                .replace("$ATTACKS", attacks);
    }

    /**
     * Bits of capabilities that could reach the machine: modules, raw devices, tracing, mounts, the clock, new
     * devices.
     */
    private void ranAsTheContainer() throws IOException {
        long machine = 1L << 16 | 1L << 17 | 1L << 19 | 1L << 21 | 1L << 25 | 1L << 27;
        assertThat(Files.readAllLines(attacked.resolveSibling("caps")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(Long.parseLong(line.split("\\s+", -1)[1], 16) & machine)
                        .as(line)
                        .isZero());
    }

    /** A process that enters has the machine's root for a moment. */
    @Test
    void aContainerDoesNotSeeWhereWhoEntersComesFrom() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        Path outside = Files.writeString(folder.resolve("outside"), "");
        String look = "while :; do for each in /proc/[0-9]*; do"
                + " for at in root cwd fd/3 fd/8; do [ ! -e $each/$at/@FILE ] || touch @; done; done; done";
        Process container = builder(enter, "bash", "-c", attack(look.replace("@FILE", outside.toString())))
                .start();
        try {
            EntryScript.expectProcessOne(enter.resolveSibling(""));
            for (int time = 0; time < 20; time++) {
                assertThat(ShortCommand.run(new ProcessBuilder(enter.toString(), "true"), "", LIMIT)
                                .exitCode())
                        .isZero();
            }
        } finally {
            container.destroyForcibly().waitFor();
        }
    }

    @Test
    void hasNobodysHome() throws Exception {
        String user = Objects.requireNonNullElse(System.getenv("HOME"), "/home");
        Path source = Files.createDirectories(folder.resolve("volume"));
        Files.writeString(source.resolve("file"), "content");
        Path home = Path.of("/home");
        assertThat(home).isDirectory();
        Path checkout = Path.of(System.getProperty("nodepath.home"));
        // This test's own classes must stay in sight.
        boolean isBelow = checkout.startsWith(home);
        Path key = isBelow ? checkout.resolve("pom.xml") : home.resolve("somebody/.ssh/key");
        try {
            if (!isBelow) {
                MemoryFolder.make(home, "mode=755");
                Files.createDirectories(key.getParent());
                Files.writeString(key, "secret");
            }
            assertThat(key).isReadable();
            List<PodVolumes.Mount> mounts = List.of(PodVolumes.Mount.of(source, user + "/a/b", false));
            String look = "cat " + key + "; ls -A /home/somebody; cd \"$1\" && ls -A . && cat a/b/file && echo x >y";
            for (boolean layered : List.of(true, false)) {
                Path enter = write(mounts, variables(Map.of()), "");
                ProcessBuilder command = builder(enter, layered, "sh", "-c", look, "sh", user)
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
                assertThat(ShortCommand.run(command, "", LIMIT)).isEqualTo(new ShortCommand(0, "a\ncontent"));
            }
        } finally {
            if (!isBelow) {
                MemoryFolder.remove(home);
            }
        }
    }

    @Test
    void whoEntersBringsNothingAlong() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        String look = "readlink /proc/self/cwd /proc/self/root; echo /proc/self/fd/*; umount /run";
        ProcessBuilder first = builder(enter, "sh", "-c", look).redirectError(ProcessBuilder.Redirect.DISCARD);
        // The third descriptor is that of the listing itself.
        String expected = "/\n/\n/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n";
        assertThat(ShortCommand.run(first, "", LIMIT).output()).isEqualTo(expected);
        Process container = builder(enter, "sleep", "98766").start();
        try {
            EntryScript.expectProcessOne(enter.resolveSibling(""));
            ProcessBuilder second = new ProcessBuilder(enter.toString(), "sh", "-c", look)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            assertThat(ShortCommand.run(second, "", LIMIT).output()).isEqualTo(expected);
        } finally {
            container.destroyForcibly().waitFor();
        }
    }

    @Test
    void whatItWritesEndsWithIt() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        String name = String.valueOf(folder.getFileName());
        List<Path> folders = Stream.of(
                        "/",
                        "/usr/bin",
                        "/etc",
                        "/var/tmp",
                        "/tmp",
                        "/dev",
                        "/dev/shm",
                        "/run",
                        "/root",
                        "/opt",
                        // Where packages write. An ordinary user has no such folder on the machine.
                        "/usr/share",
                        "/usr/local/bin",
                        "/usr/share/doc",
                        "/var/log",
                        "/var/lib",
                        "/var/cache",
                        "/var/log/apt",
                        "/var/lib/dpkg/info",
                        "/etc/ssl")
                .map(Path::of)
                .filter(Files::isDirectory)
                .toList();
        StringBuilder script = new StringBuilder("set -e\n");
        folders.forEach(each -> script.append("echo a >" + each.resolve(name + "-x") + "\n"));
        assertThat(run(enter, "sh", "-c", script + "rm /etc/passwd; mkdir /etc/passwd; echo done"))
                .isEqualTo("done\n");
        assertThat(folders)
                .allSatisfy(each -> assertThat(Files.exists(each.resolve(name + "-x")))
                        .as(each.toString())
                        .isFalse());
        assertThat(Path.of("/etc/passwd")).isRegularFile();
        assertThat(exitCode(enter, "ls", "/tmp/" + name + "-x")).isNotZero();
    }

    /** As on a kernel that gives this user no overlay. */
    @Test
    void withoutOverlaysTheMachineIsReadOnlyAndProgramsWriteToMemory() throws Exception {
        Path source = Files.createDirectories(folder.resolve("volume"));
        Files.writeString(source.resolve("file"), "content");
        List<PodVolumes.Mount> mounts = List.of(
                PodVolumes.Mount.of(source, "/usr/share/not-on-this-machine/a", false),
                PodVolumes.Mount.of(source, "/var/lib/a/b", false),
                PodVolumes.Mount.of(source.resolve("file"), "/etc/hosts", false));
        Path enter = write(mounts, variables(Map.of()), "/opt/not/here");
        String name = folder.getFileName() + "-x";
        String script = """
                set -e
                pwd; cat /usr/share/not-on-this-machine/a/file /var/lib/a/b/file /etc/hosts
                for each in /tmp /var/tmp /var/log /var/lib /run /root /home /etc /dev/shm; do echo a >$each/@; done
                for each in /usr/bin /usr/share /opt /bin; do ! touch $each/@ 2>/dev/null; done
                test -s /etc/passwd; ls /usr/share/doc >/dev/null; stat -c %a /tmp
                """;
        assertThat(output(builder(enter, false, "sh", "-c", script.replace("@", name))))
                .isEqualTo("/opt/not/here\ncontentcontentcontent1777\n");
        for (String path : List.of("/tmp", "/var/tmp", "/var/log", "/etc", "/home")) {
            assertThat(Path.of(path, name)).doesNotExist();
        }
        assertThat(exitCode(enter, "mount", "-o", "remount,rw", "/usr")).isNotZero();
    }

    @Test
    void overlaysAreTriedAndLeaveNothing() throws Exception {
        String before = Files.readString(Path.of("/proc/self/mounts"));
        assertThat(Overlays.areHere()).isTrue();
        assertThat(Path.of("/proc/self/mounts")).content().isEqualTo(before);
    }

    @Test
    void aFullDiskAndTooManyProcessesAreItsOwn() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        assertThat(exitCode(enter, "dd", "if=/dev/zero", "of=/tmp/full", "bs=1M", "count=1000"))
                .isNotZero();
        assertThat(exitCode(enter, "dd", "if=/dev/zero", "of=/dev/shm/full", "bs=1M", "count=1000"))
                .isNotZero();
        assertThat(exitCode(
                        enter, "sh", "-c", "for i in $(seq 200); do touch $(seq -f /tmp/%g-$i 1000) || exit 1; done"))
                .isNotZero();
        String pids = Files.readString(Path.of("/proc/sys/kernel/pid_max"));
        // Each calls itself twice. Remaining ones end with their process 1.
        assertThat(exitCode(
                        enter, "bash", "-c", "b() { b | b & }; b; for i in {1..2000}; do true || exit 0; done; exit 7"))
                .isNotZero();
        assertThat(Path.of("/proc/sys/kernel/pid_max")).content().isEqualTo(pids);
    }

    /** The file system of its folder is the cluster's, without a limit. */
    @Test
    void writesItsLastWordsInItsLayer() throws Exception {
        Path volume = Files.createDirectories(folder.resolve("volume"));
        Path container = Files.createTempDirectory(folder, "container");
        Path words = Files.writeString(TerminationMessage.file(container), "");
        EntryScript script = new EntryScript(
                container,
                pause,
                List.of(
                        PodVolumes.Mount.of(volume, "/volume", false),
                        PodVolumes.Mount.of(words, "/volume/words", false)),
                ContainerLimits.NONE,
                Optional.empty());
        Path enter = script.write(variables(Map.of()), "");
        scripts.put(enter, script);
        String write = "printf 'last\\377' >/volume/words; df --output=size /volume/words / | sort -nu | wc -l;"
                + " truncate -s 1G /volume/words && dd if=/dev/zero of=/volume/words bs=1M count=1000 conv=notrunc seek=1"
                + " status=none 2>/dev/null || printf full";
        for (int run = 0; run < 2; run++) {
            assertThat(run(enter, "sh", "-c", write)).isEqualTo("2\nfull");
            assertThat(words).isEmptyFile();
        }
        ContainerRoot.remove(container);
        assertThat(words).hasSize(4096);
        assertThat(Files.readAllBytes(words)).startsWith('l', 'a', 's', 't', 0xff, 0);

        assertThat(run(enter, "true")).isEmpty();
        Files.delete(words);
        Files.createDirectory(words);
        assertThatThrownBy(() -> ContainerRoot.remove(container)).isInstanceOf(IOException.class);
        assertThat(Path.of("/proc/self/mounts")).content().doesNotContain(container.toString());
    }

    /**
     * An init container may write files that the main containers read. Outside of containers their file system is the
     * cluster's.
     */
    @Test
    void containersOfAPodShareItsFilesWithinALimit() throws Exception {
        PodFiles files = new PodFiles(folder.resolve("own-files"));
        for (Path file : List.of(files.hosts(), files.hostname(), files.resolver())) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, "own\n");
        }
        List<PodVolumes.Mount> mounts = List.of(
                PodVolumes.Mount.of(files.hosts(), "/etc/hosts", false),
                PodVolumes.Mount.of(files.resolver(), "/etc/resolv.conf", false));
        Path first = write(mounts, variables(Map.of()), "");
        Path second = write(mounts, variables(Map.of()), "");
        assertThat(run(first, "sh", "-c", "echo more >>/etc/resolv.conf; echo a >/etc/hosts"))
                .isEmpty();
        assertThat(run(second, "cat", "/etc/resolv.conf", "/etc/hosts")).isEqualTo("own\nmore\na\n");
        pause.stop();
        String fill = "dd if=/dev/zero of=/etc/hosts bs=1M count=5 status=none 2>/dev/null || stat -c %s /etc/hosts";
        pause = pause(false);
        assertThat(run(write(mounts, variables(Map.of()), ""), "sh", "-c", fill + "; cat /etc/resolv.conf"))
                .matches("[34]\\d{6}\nown\nmore\n");
    }

    /** An impossible mount is reported before the start, without a path of the cluster's own. */
    @ParameterizedTest
    @CsvSource({
        "/sys/y, true, operation not permitted",
        "/dev/pts/y, true, operation not permitted",
        "/sys/fs, false, not a directory",
        "/etc/passwd, true, not a directory",
        "/etc/passwd/x, true, not a directory",
        "/etc/passwd/x/y, false, not a directory",
        "/dev/null, true, not a directory",
        "/dev/null/x, true, not a directory",
        "/etc, false, not a directory",
        "/dev, false, not a directory",
        "/shared/folder, false, not a directory",
        "/shared/file, true, not a directory",
        "/shared/file/x, true, not a directory",
    })
    void saysWhereNothingCanBeMounted(String path, boolean ofFolder, String problem) throws Exception {
        Path shared = Files.createDirectories(folder.resolve("shared"));
        Files.createDirectory(shared.resolve("folder"));
        Path file = Files.writeString(shared.resolve("file"), "");
        Path source = ofFolder ? Files.createDirectories(folder.resolve("volume")) : file;
        List<PodVolumes.Mount> mounts =
                List.of(PodVolumes.Mount.of(shared, "/shared", false), PodVolumes.Mount.of(source, path, false));
        Path enter = write(mounts, variables(Map.of()), "");
        assertThatThrownBy(() -> run(enter, "true"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("mountPath: error mounting to rootfs at \"" + path + "\": " + problem + " (");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc", "/sys/words", "/etc/passwd/words", "/dev/pts", "/"})
    void saysWhereNoLastWordsCanBe(String path) throws Exception {
        Path container = Files.createTempDirectory(folder, "container");
        Path words = Files.writeString(TerminationMessage.file(container), "");
        Path hosts = Files.writeString(folder.resolve("hosts"), "");
        EntryScript script = new EntryScript(
                container,
                pause,
                List.of(PodVolumes.Mount.of(words, path, false), PodVolumes.Mount.of(hosts, "/etc/hosts", false)),
                ContainerLimits.NONE,
                Optional.empty());
        scripts.put(script.write(variables(Map.of()), ""), script);
        assertThatThrownBy(() -> run(container.resolve(EntryScript.NAME), "true"))
                .hasMessageStartingWith("terminationMessagePath: error mounting to rootfs at \"" + path + "\": ");
    }

    @Test
    void saysThatTheWorkingFolderIsAFile() throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "/etc/passwd");
        assertThatThrownBy(() -> run(enter, "true")).hasMessageStartingWith("workingDir: ");
    }

    /** They are the machine's, and so are their modes. */
    @ParameterizedTest
    @ValueSource(strings = {"chmod 666", "touch", "chown 0", "rm"})
    void changesNoDevice(String command) throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        String devices = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty";
        String each = "for i in " + devices + "; do ! " + command + " $i 2>&1 || exit 1; done";
        assertThat(exitCode(enter, "sh", "-c", each)).isZero();
        assertThat(exitCode(enter, "sh", "-c", "echo x >/dev/null; head -c 1 /dev/urandom >/dev/zero"))
                .isZero();
    }

    /** An open file of the machine could be changed, whatever the container has at its path. */
    @ParameterizedTest
    @CsvSource({"false, false, pipe:.*", "true, false, pipe:.*", "false, true, /dev/pts/\\d+"})
    void hasNoFileOfTheMachineOpen(boolean stdin, boolean tty, String expected) throws Exception {
        Path enter = write(List.of(), variables(Map.of()), "");
        Path file = folder.resolve("log");
        ContainerLog log = new ContainerLog(file, InstantSource.system());
        log.rotate();
        String look = "readlink /proc/1/fd/*" + (stdin || tty ? "; :" : "; exec cat");
        ContainerProcess container = ContainerProcess.start(
                "it",
                Objects.requireNonNull(scripts.get(enter)),
                List.of("sh", "-c", look),
                new Console(stdin, false, tty),
                log);
        assertThat(container.ended().get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
        assertThat(Files.readAllLines(file))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).matches("\\S+ " + expected + "\\s*"));
    }

    @Test
    void withoutAGroupEachProcessHasALimit() throws Exception {
        ContainerLimits limits = new ContainerLimits(OptionalLong.of(32 << 20), OptionalLong.empty());
        EntryScript script = new EntryScript(
                Files.createTempDirectory(folder, "container"), pause, List.of(), limits, Optional.empty());
        script.write(variables(Map.of()), "");
        assertThat(output(new ProcessBuilder(script.start(
                        List.of("sh", "-c", "ulimit -d"), ControlGroup.make(Set.of(), "none", limits, false)))))
                .isEqualTo("294912\n");
    }

    private PodPause pause(boolean sharesProcesses) {
        return new PodPause(
                folder.resolve("pause"),
                new PodFiles(folder.resolve("own-files")),
                () -> Path.of("/proc/self/ns/net"),
                "desk",
                sharesProcesses);
    }

    private Path write(List<PodVolumes.Mount> mounts, Map<String, String> variables, String workingDir)
            throws IOException {
        EntryScript script = script(mounts);
        Path enter = script.write(variables, workingDir);
        scripts.put(enter, script);
        return enter;
    }

    private EntryScript script(List<PodVolumes.Mount> mounts) throws IOException {
        Path container = Files.createTempDirectory(folder, "container");
        List<PodVolumes.Mount> all = new ArrayList<>(mounts);
        Path attacks = folder.resolve("attacks");
        all.add(PodVolumes.Mount.of(attacks, attacks.toString(), false));
        return new EntryScript(container, pause, all, ContainerLimits.NONE, Optional.empty());
    }

    private String attack(String text) {
        return text.replace("@", attacked.toString());
    }

    /** All variables, after those that every container has. */
    private static Map<String, String> variables(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(Map.of("PATH", System.getenv("PATH")));
        all.putAll(more);
        return all;
    }

    /** Runs a command as the container's process 1, like every process that enters. */
    private String run(Path enter, String... command) throws IOException, InterruptedException {
        return output(builder(enter, command));
    }

    private static String output(ProcessBuilder command) throws IOException, InterruptedException {
        ShortCommand run = ShortCommand.run(command.redirectErrorStream(true), "", LIMIT);
        assertThat(run.exitCode()).as(run.output()).isZero();
        return run.output();
    }

    private int exitCode(Path enter, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder = builder(enter, command).redirectError(ProcessBuilder.Redirect.DISCARD);
        return ShortCommand.run(builder, "", LIMIT).exitCode();
    }

    /** In a root with overlays, or without. */
    private ProcessBuilder builder(Path enter, boolean layered, String... command) throws IOException {
        return new ProcessBuilder(Objects.requireNonNull(scripts.get(enter))
                .start(List.of(command), ControlGroup.make(Set.of(), "none", ContainerLimits.NONE, false), layered));
    }

    private ProcessBuilder builder(Path enter, String... command) throws IOException {
        return new ProcessBuilder(Objects.requireNonNull(scripts.get(enter))
                .start(List.of(command), ControlGroup.make(Set.of(), "none", ContainerLimits.NONE, false)));
    }
}
