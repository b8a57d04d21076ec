package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests on a node of a fake kernel with one container, which leave no handle open and no lock taken. */
abstract class FakeNodeTest {
    @TempDir
    public Path dataDir;

    TestNode node = new TestNode(Path.of(""));

    /** The namespace of the container {@code dummy}. */
    String netns = "";

    @BeforeEach
    final void newNode() throws Exception {
        node = new TestNode(dataDir);
        netns = node.pod("pod");
    }

    @AfterEach
    final void everyHandleIsClosed() {
        assertThat(node.net.openHandles()).isZero();
        assertThat(node.locks.areFree()).isTrue();
    }

    static CallOutcome succeeded(CallOutcome outcome) {
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
        return outcome;
    }
}
