package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.proxy.userspace.RelayBrokenException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProxyReadinessTest {
    private final List<String> told = new ArrayList<>();
    private final ProxyReadiness progress = new ProxyReadiness(new Running() {
        @Override
        public void up() {
            told.add("up");
        }

        @Override
        public void waiting(String reason) {
            told.add(reason);
        }

        @Override
        public boolean awaitStop(Duration limit) {
            return true;
        }
    });

    private void fail(IOException cause) {
        progress.failed(new SyncException("sync: " + cause.getMessage(), cause), Duration.ZERO);
    }

    @Test
    void aSyncThatFailsIsTriedAgainByTheSameProxy() {
        fail(new IOException("busy"));
        progress.synced(ServiceSnapshot.EMPTY, ChangeSet.NONE, Duration.ZERO, Optional.empty());
        assertThat(told).hasSize(2).last().isEqualTo("up");
        assertThat(told.get(0)).contains("busy");
        assertThat(progress.isBroken()).isFalse();
    }

    @Test
    void aProxyWhoseRelayIsBrokenHasToBeOpenedAnew() {
        fail(new RelayBrokenException("an event loop has ended"));
        assertThat(told).singleElement().asString().contains("an event loop has ended");
        assertThat(progress.isBroken()).isTrue();
    }
}
