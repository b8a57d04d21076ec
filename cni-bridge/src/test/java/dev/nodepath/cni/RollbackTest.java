package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.ipam.LockFile;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.syscall.Errno;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An ADD that fails at any of its steps leaves nothing, and the next one succeeds. */
class RollbackTest {
    /** More kernel calls than an ADD of any of these configurations makes. */
    private static final int STEPS_MAX = 100;

    @TempDir
    Path dataDir;

    @ParameterizedTest(name = "{0} with {1}, at least {2} steps")
    @CsvSource({
        "'', ENOMEM, 10",
        "10.1.2.0/24, ENOMEM, 15",
        "10.1.2.0/24, ENODEV, 15",
        "10.1.2.0/24 2001:db8::/64 fd00::/64, ENOMEM, 22",
        "10.1.2.0/24 2001:db8::/64 fd00::/64, EPERM, 22",
    })
    void leavesNothingWhicheverStepFails(String subnets, Errno errno, int stepsAtLeast) throws Exception {
        int step = 1;
        while (failsAt(step, subnets, errno)) {
            assertThat(step).isLessThan(STEPS_MAX);
            step++;
        }
        assertThat(step - 1).as("steps that failed").isGreaterThanOrEqualTo(stepsAtLeast);
    }

    /** Whether the ADD has failed; false means that it has fewer steps. */
    private boolean failsAt(int step, String subnets, Errno errno) throws Exception {
        TestNode node = new TestNode(dataDir);
        String netns = node.pod("pod");
        String before = node.state("pod");
        String config = subnets.isEmpty()
                ? node.config("1.0.0", "\"hairpinMode\":true")
                : node.gatewayConfig("1.0.0", subnets.split(" ", -1))
                        .replace("\"isDefaultGateway\"", "\"ipMasq\":true,\"ipspoofchk\":true,\"isDefaultGateway\"");

        node.net.failCall(step, errno);
        CallOutcome outcome = node.add(config, "dummy", netns);
        node.net.stopFailing();
        boolean failed = outcome.exitCode() != 0;
        if (failed) {
            assertThat(outcome.stdout()).as("step " + step).contains("\"code\":", errno.name());
            assertThat(node.state("pod")).as("step " + step).isEqualTo(before);
            assertThat(node.hostLinks()).as("step " + step).isSubsetOf("lo", "bridge0");
            assertThat(node.reserved()).as("step " + step).isEmpty();
            assertThat(node.net.nftState()).as("step " + step).doesNotContain("dummy");
            assertThat(node.net.openHandles()).as("step " + step).isZero();
            assertThat(node.add(config, "dummy", netns).exitCode())
                    .as("ADD again after step " + step)
                    .isZero();
        }
        assertThat(node.del(config, "dummy", netns).exitCode()).isZero();
        assertThat(node.reserved()).isEmpty();
        return failed;
    }

    @Test
    void takesBackTheRestWhenOneStepCannotBeTakenBack() throws Exception {
        TestNode node = new TestNode(dataDir);
        String netns = node.pod("pod");
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        node.net.failNext("addRoute", Errno.ENOMEM);
        node.net.failNext("deleteLink", Errno.EPERM);
        assertThat(node.add(config, "dummy", netns).stdout()).contains("addRoute ", "ENOMEM");
        assertThat(node.reserved()).isEmpty();
        assertThat(node.del(config, "dummy", netns).exitCode()).isZero();
        assertThat(node.hostLinks()).containsExactly("lo", "bridge0");
    }

    @Test
    void asksToTryAgainWhenOthersHoldTheAddressFolderForTooLong() throws Exception {
        TestNode node = new TestNode(dataDir, Duration.ofMillis(100));
        String netns = node.pod("pod");
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        Path lock = dataDir.resolve(TestNode.NETWORK).resolve("lock");
        LockFile.Held held = node.locks.tryLock(lock).orElseThrow();
        assertThat(node.add(config, "dummy", netns).stdout())
                .contains("\"code\":11,\"msg\":\"" + lock + ": held by others for 100 ms");
        assertThat(node.hostLinks()).containsExactly("lo");
        held.close();
        assertThat(node.add(config, "dummy", netns).exitCode()).isZero();
    }

    @Test
    void leavesNothingWhereTheAddressFolderIsALinkToNowhere() throws Exception {
        TestNode node = new TestNode(dataDir);
        Files.createSymbolicLink(dataDir.resolve(TestNode.NETWORK), Path.of("nowhere"));
        CallOutcome outcome = node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", node.pod("pod"));
        assertThat(outcome.stdout())
                .contains("\"code\":5,\"msg\":\"" + dataDir.resolve(TestNode.NETWORK) + ": File exists (expected: ");
        assertThat(node.hostLinks()).containsExactly("lo");
        assertThat(node.del(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", "")
                        .exitCode())
                .isZero();
    }

    @Test
    void leavesNothingWhenTheAddressFolderCannotBeMade() throws Exception {
        TestNode node = new TestNode(Files.createFile(dataDir.resolve("in-the-way")));
        CallOutcome outcome = node.add(node.gatewayConfig("1.0.0", "10.1.2.0/24"), "dummy", node.pod("pod"));
        assertThat(outcome.stdout()).contains("\"code\":5,\"msg\":\"" + dataDir.resolve("in-the-way"));
        assertThat(node.hostLinks()).containsExactly("lo");
        assertThat(node.net.openHandles()).isZero();
    }
}
