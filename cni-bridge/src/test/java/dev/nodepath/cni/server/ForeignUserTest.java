package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.AttachmentLocks;
import dev.nodepath.cni.CompiledClient;
import dev.nodepath.cni.ipam.MemoryLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixListener;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client of a user who is neither the server's nor root, at a socket whose mode allows it. */
@Timeout(900)
class ForeignUserTest {
    private static final int NOBODY = 65534;
    private static final int SERVERS_USER = 12345;

    @TempDir
    Path directory;

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @Test
    void isSentAwayWithoutAGreetingAndDoesWithoutTheServer() throws Exception {
        Path socket = directory.resolve("cni.sock");
        Path client = CompiledClient.at(directory.resolve("nodepath-bridge"));
        Path jvm = Files.writeString(directory.resolve("nodepath-bridge-jvm"), "#!/bin/sh\nprintf jvm\n");
        try (UnixListener listener = net.listen(socket, 1)) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            Files.setPosixFilePermissions(jvm, PosixFilePermissions.fromString("rwxr-xr-x"));
            Process process = run(client, socket);
            try (UnixConnection connection = listener.accept()) {
                new ServedCall(
                                connection,
                                (request, namespace) -> Optional.of(new CallOutcome(0, "served", "")),
                                new AttachmentLocks(directory, new MemoryLocks(), Duration.ZERO),
                                new ServerEvents(events))
                        .run(SERVERS_USER, CallMessages.hello(new FileIdentity(0, 0)));
            }
            assertThat(events.poll(5, TimeUnit.MINUTES))
                    .isEqualTo("refused user " + clientsUser() + " (expected: " + SERVERS_USER + " or root)");
            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("jvm");
        }
    }

    /**
     * Root is let in everywhere, so as root the client becomes another user; everybody else is another user already.
     */
    private Process run(Path client, Path socket) throws Exception {
        List<String> command = new ArrayList<>();
        if (net.effectiveUser() == 0) {
            command.addAll(List.of("setpriv", "--reuid", "" + NOBODY, "--regid", "" + NOBODY, "--clear-groups"));
        }
        command.add(client.toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("NODEPATH_CNI_SOCKET", socket.toString());
        builder.environment().put("CNI_COMMAND", "VERSION");
        return builder.start();
    }

    private int clientsUser() {
        return net.effectiveUser() == 0 ? NOBODY : net.effectiveUser();
    }
}
