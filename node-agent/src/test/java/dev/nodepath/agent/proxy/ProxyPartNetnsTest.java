package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.cluster.ClusterView;
import dev.nodepath.agent.options.DefaultSettings;
import dev.nodepath.agent.options.VariantOption;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.sync.SyncListener;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leftovers of a broken run of the proxy. */
@Tag("netns")
@Timeout(900)
class ProxyPartNetnsTest {
    private final KernelLinuxNet net = new KernelLinuxNet();
    private final IptablesNamespace iptables = IptablesNamespace.create();
    private final NetworkNamespace namespace = iptables.opened();
    private final ProxyPart part = new ProxyPart(
            DefaultSettings.IPTABLES,
            new VariantOption(),
            net,
            new ClusterView("n1"),
            running -> {},
            SyncListener.NONE,
            () -> {});
    private WeakReference<ManagedProxy> last = new WeakReference<>(null);

    ProxyPartNetnsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        iptables.close();
    }

    /** Breaks as soon as it is looked after. */
    private final class Breaking implements Running {
        @Override
        public void up() {}

        @Override
        public void waiting(String reason) {}

        @Override
        public boolean awaitStop(Duration limit) throws InterruptedException {
            last = new WeakReference<>(part.opened().orElseThrow().proxy());
            throw new InterruptedException("broken on purpose");
        }
    }

    private void runThatBreaks() {
        assertThatThrownBy(() -> namespace.call(() -> {
                    try {
                        part.run(new Breaking());
                    } catch (InterruptedException e) {
                        throw new IOException(e.getMessage(), e);
                    }
                    return true;
                }))
                .hasMessageContaining("broken on purpose");
    }

    @Test
    void endsItsSubscriptionWhenItBreaks() {
        runThatBreaks();
        Eventually.isTrue("nobody holds the closed proxy", () -> {
            System.gc();
            return last.get() == null;
        });
    }

    @Test
    void leavesNoSocketOpenWhenItBreaks() throws IOException {
        runThatBreaks();
        long before = sockets();
        for (int i = 0; i < 3; i++) {
            runThatBreaks();
        }
        Eventually.isTrue("no socket is left", () -> sockets() <= before);
    }

    private static long sockets() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            List<String> targets = files.map(ProxyPartNetnsTest::target).toList();
            return targets.stream()
                    .filter(target -> target.startsWith("socket:"))
                    .count();
        }
    }

    /** Empty for the descriptor of the listing itself, which is gone by now. */
    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return "";
        }
    }
}
