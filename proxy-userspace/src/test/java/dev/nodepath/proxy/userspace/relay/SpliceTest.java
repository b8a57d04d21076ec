package dev.nodepath.proxy.userspace.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.Backend;
import dev.nodepath.proxy.userspace.Clients;
import dev.nodepath.proxy.userspace.NoLeaks;
import dev.nodepath.proxy.userspace.RelayFixture;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bulk goes through pipes, without an effect on the bytes. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class SpliceTest {
    private static final int MEGABYTE = 1 << 20;
    private static final int BULK_BYTES = 256 * MEGABYTE;
    private static final int STREAMS = 100;

    @Test
    void bulkPassesWithoutCopiesInBothDirections() throws Exception {
        CompletableFuture<Long> received = new CompletableFuture<>();
        try (Backend backend = Backend.start(socket -> {
                    Thread sends = new Thread(() -> send(socket, 1, BULK_BYTES));
                    sends.start();
                    received.complete(checksum(socket.getInputStream()));
                    join(sends);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            Thread sends = new Thread(() -> {
                send(client, 2, BULK_BYTES);
                shutdown(client);
            });
            sends.start();
            assertThat(checksum(client.getInputStream())).isEqualTo(checksum(1, BULK_BYTES));
            assertThat(received.get(5, TimeUnit.MINUTES)).isEqualTo(checksum(2, BULK_BYTES));
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_CLIENTS)).isEqualTo(BULK_BYTES);
            assertThat(relay.metrics().of(RelayCount.BYTES_FROM_BACKENDS)).isEqualTo(BULK_BYTES);
            assertThat(relay.metrics().of(RelayCount.BYTES_SPLICED)).isGreaterThan(BULK_BYTES / 4);
        }
    }

    /** Bursts, single bytes and pauses between them: copies and pipes take turns in one stream. */
    @Test
    void keepsTheOrderWhenCopiesAndPipesTakeTurns() throws Exception {
        CompletableFuture<Long> received = new CompletableFuture<>();
        CRC32 sent = new CRC32();
        try (Backend backend = Backend.start(socket -> received.complete(checksum(socket.getInputStream())));
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            client.setTcpNoDelay(true);
            Random random = new Random(5);
            OutputStream out = client.getOutputStream();
            for (int turn = 0; turn < 8; turn++) {
                byte[] burst = new byte[16 * MEGABYTE];
                random.nextBytes(burst);
                out.write(burst);
                sent.update(burst);
                for (int i = 0; i < 200; i++) {
                    int single = random.nextInt(256);
                    out.write(single);
                    sent.update(single);
                }
            }
            client.shutdownOutput();
            assertThat(received.get(5, TimeUnit.MINUTES)).isEqualTo(sent.getValue());
            assertThat(relay.metrics().of(RelayCount.BYTES_SPLICED)).isPositive();
        }
    }

    @Test
    void goesOnInTheOtherDirectionAfterTheEndOfBulk() throws Exception {
        try (Backend backend = Backend.start(socket -> {
                    long sum = checksum(socket.getInputStream());
                    socket.getOutputStream()
                            .write(Long.toString(sum).getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint());
                Socket client = relay.connect()) {
            send(client, 3, BULK_BYTES);
            client.shutdownOutput();
            assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("" + checksum(3, BULK_BYTES));
            Eventually.isTrue("relay is over", () -> relay.metrics().active.get() == 0);
            assertThat(relay.metrics().of(RelayCount.RESET)).isZero();
        }
    }

    /** The kernel reports an error only once, and a splice may get it. A truncated answer must not look complete. */
    @Test
    void aResetAfterBulkStaysAReset() throws Exception {
        try (Backend backend = Backend.start(socket -> {
                    send(socket, 7, BULK_BYTES / 4);
                    Clients.reset(socket);
                });
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint())) {
            for (int round = 0; round < 30; round++) {
                try (Socket client = relay.connect()) {
                    assertThatThrownBy(() -> checksum(client.getInputStream()))
                            .as("round " + round)
                            .isInstanceOf(IOException.class);
                }
            }
        }
    }

    /** A pipe with bytes in it must not go to another connection. */
    @Test
    void aResetWithAFullPipeLosesOnlyItsOwnBytes() throws Exception {
        int before = descriptors();
        try (Backend backend = Backend.start(socket -> send(socket, 4, BULK_BYTES));
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint())) {
            for (int round = 0; round < 20; round++) {
                try (Socket stalled = relay.connect()) {
                    assertThat(stalled.getInputStream().readNBytes(64 * MEGABYTE))
                            .hasSize(64 * MEGABYTE);
                    Clients.reset(stalled);
                }
            }
            assertThat(relay.metrics().of(RelayCount.BYTES_SPLICED)).isPositive();
            try (Socket client = relay.connect()) {
                assertThat(checksum(client.getInputStream())).isEqualTo(checksum(4, BULK_BYTES));
            }
            Eventually.isTrue("relays are over", () -> relay.metrics().active.get() == 0);
        }
        Eventually.isTrue("descriptors as before", () -> descriptors() <= before);
    }

    /** More stalled streams than there are pipes: the others are copied. */
    @Test
    void carriesMoreBulkStreamsThanThereArePipes() throws Exception {
        int bytes = 24 * MEGABYTE;
        try (Backend backend = Backend.start(socket -> send(socket, 6, bytes));
                RelayFixture relay = RelayFixture.withDefaults().endpoints(backend.endpoint())) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < STREAMS; i++) {
                Socket client = relay.connect();
                clients.add(client);
                assertThat(client.getInputStream().read()).isNotNegative();
            }
            int descriptors = descriptors();
            assertThat(pipes()).isLessThanOrEqualTo(2 * RelayLoop.PIPES_MAX);
            byte[] expected = bytes(6, bytes);
            for (Socket client : clients) {
                CRC32 sum = new CRC32();
                sum.update(expected[0]);
                assertThat(checksum(sum, client.getInputStream())).isEqualTo(checksum(6, bytes));
                client.close();
            }
            assertThat(descriptors).isPositive();
        }
        Eventually.isTrue("no pipes are left", () -> pipes() == 0);
    }

    private static long pipes() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(SpliceTest::isPipe).count() - STANDARD_PIPES;
        }
    }

    private static final long STANDARD_PIPES = standardPipes();

    private static long standardPipes() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(SpliceTest::isPipe).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isPipe(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("pipe:");
        } catch (IOException e) {
            return false;
        }
    }

    private static int descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return (int) all.count();
        }
    }

    private static void send(Socket socket, int seed, int bytes) {
        byte[] block = bytes(seed, MEGABYTE);
        try {
            for (int sent = 0; sent < bytes; sent += MEGABYTE) {
                socket.getOutputStream().write(block);
            }
        } catch (IOException e) {
            // The client has reset.
            return;
        }
    }

    private static void shutdown(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] bytes(int seed, int count) {
        byte[] block = new byte[MEGABYTE];
        new Random(seed).nextBytes(block);
        byte[] bytes = new byte[count];
        for (int at = 0; at < count; at += MEGABYTE) {
            System.arraycopy(block, 0, bytes, at, MEGABYTE);
        }
        return bytes;
    }

    private static long checksum(int seed, int bytes) {
        CRC32 sum = new CRC32();
        byte[] block = bytes(seed, MEGABYTE);
        for (int at = 0; at < bytes; at += MEGABYTE) {
            sum.update(block);
        }
        return sum.getValue();
    }

    private static long checksum(InputStream in) throws IOException {
        return checksum(new CRC32(), in);
    }

    private static long checksum(CRC32 sum, InputStream in) throws IOException {
        byte[] buffer = new byte[MEGABYTE];
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            sum.update(buffer, 0, count);
        }
        return sum.getValue();
    }
}
