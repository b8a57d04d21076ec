package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProcessUsageTest {
    @ParameterizedTest
    @ValueSource(strings = {"nginx", "a (strange) name", ") 9 9 9", ""})
    void addsUpTimeOfAProcessAndItsChildrenWhateverItsNameIs(String name) {
        // utime 150, stime 250, cutime 30, cstime 4: ticks of 10 ms.
        String stat =
                "4711 (" + name + ") S 1 4711 4711 0 -1 4194560 100 200 0 0 150 250 30 4 20 0 9 0 12345 1000000 500";
        assertThat(ProcessUsage.cpuSeconds(stat)).isEqualTo(4.34, within(1e-9));
    }

    @Test
    void readsResidentMemory() {
        assertThat(ProcessUsage.residentBytes("Name:\tx\nVmPeak:\t   99 kB\nVmRSS:\t   1024 kB\nRssAnon:\t 7 kB\n"))
                .isEqualTo(1024 * 1024);
        assertThat(ProcessUsage.residentBytes("Name:\tzombie\nState:\tZ (zombie)\n"))
                .isZero();
    }

    @Test
    void leavesOutIdleAndStolenTimeOfTheMachine() {
        String stat = """
                cpu  100 20 30 99999 88888 4 5 77777 66666 55555
                cpu0 1 1 1 1 1 1 1 1 1 1
                """;
        assertThat(ProcessUsage.machineCpuSeconds(stat)).isEqualTo(1.59, within(1e-9));
    }

    @Test
    void countsDescendantsToo() throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-c", "sleep 60 & sleep 60; wait").start();
        try {
            ProcessUsage alone = ProcessUsage.of(List.of(shell));
            assertThat(alone.residentBytes()).isPositive();
            // A shell and two children: more than any one of them.
            Eventually.isTrue("two children", () -> shell.descendants().count() == 2);
            long children = ProcessUsage.of(List.of(shell)).residentBytes();
            assertThat(children).isGreaterThan(alone.residentBytes() / 2);
            assertThat(ProcessUsage.machineCpuSeconds()).isPositive();
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
    }

    /** Between opening and reading its files, the read fails in another way than the opening of a missing file. */
    @Test
    void aProcessMayEndWhileItIsRead() throws IOException, InterruptedException {
        for (int i = 0; i < 200; i++) {
            Process ending = new ProcessBuilder("true").start();
            while (ending.isAlive()) {
                ProcessUsage.isZombie(ending.pid());
                ProcessUsage.of(List.of(ending));
            }
            assertThat(ProcessUsage.isZombie(ending.pid())).isFalse();
            assertThat(ProcessUsage.of(List.of(ending))).isEqualTo(new ProcessUsage(0, 0));
        }
    }
}
