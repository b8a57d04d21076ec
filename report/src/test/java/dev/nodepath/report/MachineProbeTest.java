package dev.nodepath.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineProbeTest {
    @TempDir
    Path root;

    @Test
    void tellsWhatOthersUsedBeforeAndWhatWasTakenAwayDuringTheRun() throws IOException {
        MachineProbe probe = new MachineProbe(root, 2);
        write("proc/self/cgroup", "0::/nodepath\n");
        write("sys/fs/cgroup/nodepath/cpu.stat", "usage_usec 5\nthrottled_usec 1000000\n");
        write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
        write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\n");
        long[] before = probe.ticks();
        // Of 100 ticks of two cores, 20 were used and 5 waited for a disk.
        write("proc/stat", "cpu  110 0 110 875 5 0 0 0 0 0\n");
        probe.watched(before, probe.ticks());
        write("proc/stat", "cpu  200 0 200 975 5 0 0 20 0 0\n");
        write("sys/fs/cgroup/nodepath/cpu.stat", "usage_usec 5\nthrottled_usec 3500000\n");
        write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "7\n");

        Conditions seen = probe.during();

        assertThat(seen.othersAtStart()).isEqualTo(0.4, within(1e-9));
        assertThat(seen.stolen()).isEqualTo(20.0 / 300, within(1e-9));
        assertThat(seen.throttledSeconds()).isEqualTo(2.5, within(1e-9));
        assertThat(seen.throttledByHeat()).isEqualTo(3);
    }

    @Test
    void readsTheControlGroupOfVersionOneToo() throws IOException {
        MachineProbe probe = new MachineProbe(root, 1);
        write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,cpuacct:/a\n");
        write("sys/fs/cgroup/cpu/a/cpu.stat", "nr_throttled 0\nthrottled_time 0\n");
        probe.watched(probe.ticks(), probe.ticks());
        write("sys/fs/cgroup/cpu/a/cpu.stat", "nr_throttled 1\nthrottled_time 500000000\n");

        assertThat(probe.during().throttledSeconds()).isEqualTo(0.5);
    }

    @Test
    void machineThatTellsNothingStillGivesAReport() throws InterruptedException {
        Environment environment = new MachineProbe(root, 2).before(Map.of("iptables", "v1.8.9"));

        assertThat(environment.facts())
                .containsEntry("iptables", "v1.8.9")
                .containsEntry("processor", "unknown")
                .containsEntry("mitigations", "unknown");
        assertThat(environment.conditions().loadAtStart()).isNaN();
    }

    @Test
    void namesTheMitigationsThatAreActive() throws IOException, InterruptedException {
        write("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
        write("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");

        assertThat(new MachineProbe(root, 2).before(Map.of()).facts())
                .containsEntry("mitigations", "spectre_v2: Mitigation: Retpolines");
    }

    @Test
    void namesTheCongestionControl() throws IOException, InterruptedException {
        write("proc/sys/net/ipv4/tcp_congestion_control", "reno\n");

        assertThat(new MachineProbe(root, 2).before(Map.of()).facts()).containsEntry("congestion control", "reno");
    }

    private void write(String file, String content) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), content);
    }
}
