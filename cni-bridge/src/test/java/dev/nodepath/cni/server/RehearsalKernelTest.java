package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.AddressGate;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.NamespaceNames;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The work of a server before its first client. */
@Tag("netns")
class RehearsalKernelTest {
    private static final long WAIT_MAX_MINUTES = 3;

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @TempDir
    Path directory;

    @Test
    void changesNothingOfTheNode() throws Exception {
        Path left =
                Files.createDirectories(directory.resolve("cni.sock.rehearsal").resolve("rehearsal"));
        Files.writeString(left.resolve("192.0.2.2"), "another\r\neth0");
        String before = state();
        CniServer server =
                CniServer.open(net, directory.resolve("cni.sock"), AddressGate.OPEN, new ServerEvents(events));
        try {
            assertThat(events.poll(WAIT_MAX_MINUTES, TimeUnit.MINUTES)).isEqualTo("rehearsed 0");
            assertThat(state()).isEqualTo(before);
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder("cni.sock", "cni.sock.lock");
            }
        } finally {
            server.stop();
        }
    }

    private String state() throws Exception {
        try (NetworkNamespace node = net.current()) {
            return node.links() + " " + node.routes() + " " + node.sysctl("net/ipv4/ip_forward") + " "
                    + NamespaceNames.all();
        }
    }
}
