package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeLinuxNetTest extends LinuxNetContract {
    private static final long PID = 4242;
    private final FakeLinuxNet fake = new FakeLinuxNet();

    @Override
    public LinuxNet net() {
        return fake;
    }

    @Override
    public List<String> names() {
        return fake.names();
    }

    @Override
    public long processInNear() {
        fake.addProcess(PID, NEAR);
        return PID;
    }

    @Test
    void failsTheNextCallOfAName() throws Exception {
        fake.failNext("createBridge", Errno.ENOBUFS);
        assertThat(near().links()).hasSize(1);
        assertRefused(Errno.ENOBUFS, () -> bridge("br0"));
        assertThat(near().links()).hasSize(1);
        bridge("br0");
    }

    @Test
    void failsAtEveryStepInTurn() throws Exception {
        int failures = 0;
        for (int step = 1; step < 10; step++) {
            fake.failCall(step, Errno.EIO);
            try {
                near().setUp(bridge("br" + step).index(), true);
            } catch (LinuxNetException e) {
                assertThat(e.errno()).isEqualTo(Errno.EIO);
                failures++;
            }
            fake.stopFailing();
        }
        assertThat(failures).isEqualTo(2);
    }

    @Test
    void countsHandlesThatNobodyClosed() throws Exception {
        int before = fake.openHandles();
        NetworkNamespace handle = fake.openNamed(NEAR);
        assertThat(fake.openHandles()).isEqualTo(before + 1);
        handle.close();
        handle.close();
        assertThat(fake.openHandles()).isEqualTo(before);
    }

    @Test
    void plainFileIsNoNamespace() {
        fake.addPlainFile(Path.of("/var/run/netns/stale"));
        assertRefused(Errno.EINVAL, () -> fake.open(Path.of("/run/netns/stale")));
    }
}
