package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.ipam.MemoryLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttachmentLocksTest {
    private static final CallOutcome DONE = new CallOutcome(0, "done", "");

    @TempDir
    Path directory;

    private AttachmentLocks locks = new AttachmentLocks(Path.of(""), new MemoryLocks(), Duration.ZERO);

    @Test
    void letsOneCallOfAnAttachmentRunAtATime() {
        locks = new AttachmentLocks(directory.resolve("locks"), new MemoryLocks(), Duration.ofMillis(5));
        List<CallOutcome> inside = new ArrayList<>();
        CallOutcome outer = locks.alone(attachment("c1", "eth0"), () -> {
            inside.add(locks.alone(attachment("c1", "eth0"), () -> DONE));
            inside.add(locks.alone(attachment("c1", "eth1"), () -> DONE));
            inside.add(locks.alone(attachment("c2", "eth0"), () -> DONE));
            inside.add(locks.alone(Map.of("CNI_COMMAND", "VERSION"), () -> DONE));
            return DONE;
        });
        assertThat(outer).isEqualTo(DONE);
        assertThat(inside.get(0).exitCode()).isEqualTo(1);
        assertThat(inside.get(0).stdout())
                .contains("\"code\":11,\"msg\":\"another call for c1/eth0 has not ended after 5 ms\"");
        assertThat(inside.subList(1, 4)).containsOnly(DONE);
        assertThat(locks.alone(attachment("c1", "eth0"), () -> DONE)).isEqualTo(DONE);
    }

    @Test
    void saysWhereTheLocksCannotBe() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        locks = new AttachmentLocks(file, new MemoryLocks(), Duration.ZERO);
        CallOutcome outcome = locks.alone(attachment("c1", "eth0"), () -> DONE);
        assertThat(outcome.stdout()).contains("\"code\":5,\"msg\":\"" + file);
    }

    private static Map<String, String> attachment(String container, String ifname) {
        return Map.of("CNI_CONTAINERID", container, "CNI_IFNAME", ifname);
    }
}
