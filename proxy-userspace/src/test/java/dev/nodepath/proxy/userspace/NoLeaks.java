package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * After every test: no socket and no epoll descriptor more than before, and no buffer collected without its release.
 */
public final class NoLeaks implements BeforeEachCallback, AfterEachCallback {
    private List<String> before = List.of();

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        touchSockets();
        before = sockets();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Eventually.isTrue(
                "descriptors after the test " + before, () -> sockets().size() <= before.size());
        System.gc();
        for (int i = 0; i < 10; i++) {
            // The detector looks at collected buffers during an allocation.
            ByteBufAllocator.DEFAULT.buffer(1).release();
        }
        assertThat(RecordingLeakDetector.FOUND).isEmpty();
    }

    private static List<String> sockets() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:") || target.startsWith("anon_inode:")) {
                        found.add(target);
                    }
                } catch (IOException e) {
                    // Closed since it was listed.
                }
            }
        }
        return found;
    }

    /** Opens and closes sockets, so that the permanent descriptors of Netty, the JDK and linux-net are open. */
    private static void touchSockets() throws IOException {
        KernelLinuxNet net = new KernelLinuxNet();
        try (NetworkNamespace one = net.current();
                NetworkNamespace another = net.current()) {
            assertThat(one).isNotSameAs(another);
        }
        try (Backend backend = Backend.echo();
                Socket client = new Socket(
                        InetAddress.getLoopbackAddress(), backend.endpoint().port())) {
            Eventually.isTrue("backend has accepted " + client, () -> backend.connections() == 1);
        }
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        loops.submit(() -> {}).syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
