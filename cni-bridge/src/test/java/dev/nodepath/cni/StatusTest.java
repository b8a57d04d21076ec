package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** STATUS finds obstacles of an ADD, with real files and locks. */
class StatusTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();

    @TempDir
    Path directory;

    private Path dataDir = Path.of("");
    private Path folder = Path.of("");

    @BeforeEach
    void choose() {
        dataDir = directory.resolve("data");
        folder = dataDir.resolve("n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "data|link nowhere",
                "data|link data",
                "data|file",
                "data/n|link nowhere",
                "data/n|link n",
                "data/n|file",
                "data/n/lock|folder",
                "data/n/last_reserved_ip.0|folder",
                "data/n/last_reserved_ip.1|folder",
                "data/n/last_reserved_ip.0|pipe",
                "data/n/.attachments|file",
                "data/n/.unfinished|folder",
                "resolv.conf|folder",
                "resolv.conf|pipe",
                "resolv.conf|link nowhere",
            })
    void namesTheFileThatStandsInTheWay(String path, String kind) throws Exception {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        if (!path.equals("resolv.conf")) {
            Files.writeString(directory.resolve("resolv.conf"), "nameserver 10.0.0.10\n");
        }
        switch (kind.split(" ", -1)[0]) {
            case "link" -> Files.createSymbolicLink(file, Path.of(kind.split(" ", -1)[1]));
            case "file" -> Files.writeString(file, "");
            case "pipe" -> TestCommand.run("mkfifo", file.toString());
            default -> Files.createDirectories(file.resolve("inside"));
        }
        String answer = call("STATUS").stdout();
        assertThat(answer).contains("\"code\":50,", file.toString());
        CallOutcome add = call("ADD");
        assertThat(add.exitCode()).isEqualTo(1);
        assertThat(add.stdout()).contains(file.toString()).doesNotContain("\"code\":999");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "data", "data/n", "data/n/.attachments"})
    void leavesNothing(String there) throws Exception {
        Files.writeString(directory.resolve("resolv.conf"), "");
        Files.createDirectories(directory.resolve(there));
        assertThat(call("STATUS")).isEqualTo(new CallOutcome(0, "", ""));
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .isSubsetOf("resolv.conf", "lock");
        }
    }

    /** If the network has no folder yet, there is no lock either. */
    @Test
    void doesNotDisturbAnother() throws Exception {
        Files.writeString(directory.resolve("resolv.conf"), "");
        List<Callable<CallOutcome>> calls = Collections.nCopies(1000, () -> call("STATUS"));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (Future<CallOutcome> outcome : threads.invokeAll(calls)) {
                assertThat(outcome.get()).isEqualTo(new CallOutcome(0, "", ""));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void waitsForNobody() throws Exception {
        Files.writeString(directory.resolve("resolv.conf"), "");
        Files.createDirectories(folder);
        try (AutoCloseable held = KERNEL.tryLock(folder.resolve("lock")).orElseThrow()) {
            assertThat(held).isNotNull();
            assertThat(call("STATUS")).isEqualTo(new CallOutcome(0, "", ""));
        }
    }

    @Tag("netns")
    @ParameterizedTest
    @ValueSource(strings = {"ro", "size=4k", "nr_inodes=3"})
    void findsADiskThatTakesNothing(String option) throws Exception {
        Files.writeString(directory.resolve("resolv.conf"), "");
        Files.createDirectories(dataDir);
        TestCommand.run(
                "mount", "-t", "tmpfs", "-o", option.equals("ro") ? "size=1m" : option, "none", dataDir.toString());
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("lock"), "");
            if (option.equals("ro")) {
                TestCommand.run("mount", "-o", "remount,ro", dataDir.toString());
            } else if (option.startsWith("size")) {
                Files.write(dataDir.resolve("full"), new byte[4096]);
            }
            assertThat(call("STATUS").stdout()).contains("\"code\":50,", folder.toString());
            assertThat(call("ADD").stdout()).contains("\"code\":5,", folder.toString());
        } finally {
            TestCommand.run("umount", dataDir.toString());
        }
    }

    private CallOutcome call(String command) throws Exception {
        FakeLinuxNet net = new FakeLinuxNet();
        net.create("pod").close();
        HostLocalIpam ipam = new HostLocalIpam(file -> Invocation.tryLock(KERNEL, file), HostLocalIpam.LOCK_WAIT_MAX);
        BridgePlugin plugin =
                new BridgePlugin(net, ipam, LinkRemoval.immediate(), new SplittableRandom(1), AddressGate.OPEN);
        Invocation invocation = new Invocation(plugin, Path.of("/proc/self/ns/net"), Path.of("/nowhere"));
        String config = "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"bridge\",\"bridge\":\"bridge0\","
                + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir + "\",\"resolvConf\":\""
                + directory.resolve("resolv.conf")
                + "\",\"ranges\":[[{\"subnet\":\"10.1.2.0/24\"}],[{\"subnet\":\"fd00::/64\"}]]}}";
        Map<String, String> environment =
                TestNode.environment(command, "dummy", net.path("pod").toString());
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }
}
