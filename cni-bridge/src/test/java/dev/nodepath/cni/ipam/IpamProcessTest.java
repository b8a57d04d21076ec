package dev.nodepath.cni.ipam;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.TestJvm;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that share a folder of addresses, and are killed while they work in it. */
class IpamProcessTest {
    private static final long SEED = Long.getLong("nodepath.seed", System.nanoTime());

    @TempDir
    Path dataDir;

    @Test
    void giveNoAddressTwice() throws Exception {
        List<Process> processes = List.of(start("a", 60), start("b", 60));
        List<String> given = new ArrayList<>();
        for (Process process : processes) {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isZero();
            given.addAll(Arrays.asList(output.strip().split("\n", -1)));
        }
        assertThat(given).hasSize(60).doesNotHaveDuplicates();
        assertThat(addressFiles()).hasSize(60);
    }

    @Test
    void leaveNothingHalfDoneWhenTheyAreKilled() throws Exception {
        Random random = new Random(SEED);
        HostLocalIpam ipam = new HostLocalIpam(IpamProcess.locks(new KernelLinuxNet()), HostLocalIpam.LOCK_WAIT_MAX);
        IpamConfig config = IpamProcess.config(dataDir);
        for (int round = 0; round < 4; round++) {
            String name = "r" + round;
            Process process = start(name, Integer.MAX_VALUE);
            int printed = process.getInputStream().read(); // it is at work
            assertThat(printed).isPositive();
            boolean ended = process.waitFor(random.nextInt(50), TimeUnit.MILLISECONDS);
            process.destroyForcibly().waitFor();
            assertThat(ended).as("ended by itself, seed " + SEED).isFalse();

            Set<String> owners = new HashSet<>();
            for (Path file : addressFiles()) {
                assertThat(owners.add(Files.readString(file)))
                        .as(file + ", seed " + SEED)
                        .isTrue();
            }
            assertThat(owners).as("seed " + SEED).allMatch(owner -> owner.endsWith("\r\neth0"));
            ipam.allocate(config, IpamProcess.NETWORK, new Attachment(name, "eth0"), false);
            for (String owner : owners) {
                ipam.release(
                        config.dataDir(),
                        IpamProcess.NETWORK,
                        new Attachment(owner.substring(0, owner.indexOf('\r')), "eth0"));
            }
            ipam.release(config.dataDir(), IpamProcess.NETWORK, new Attachment(name, "eth0"));
            assertThat(addressFiles()).as("seed " + SEED).isEmpty();
        }
    }

    private Process start(String name, int rounds) throws IOException {
        return new ProcessBuilder(
                        TestJvm.command(IpamProcess.class, dataDir.toString(), name, Integer.toString(rounds)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private List<Path> addressFiles() throws IOException {
        try (Stream<Path> files = Files.list(dataDir.resolve(IpamProcess.NETWORK))) {
            return files.filter(file -> file.getFileName().toString().startsWith("10.9."))
                    .toList();
        }
    }
}
