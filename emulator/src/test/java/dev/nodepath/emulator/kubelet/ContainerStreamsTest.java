package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients at the input of a process. */
@Timeout(900)
class ContainerStreamsTest {
    private static final int MORE_THAN_A_PIPE_AND_A_QUEUE = 1024 * 1024;
    private static final int PIECE = 8 * 1024;
    private static final Console ONCE = new Console(true, true, false);
    private static final ExecOptions OPTIONS = new ExecOptions("", List.of(), true, true, false, false);

    private final List<Process> processes = new ArrayList<>();

    /** Gets output, and may be held up by it. */
    private static final class Reader implements ExecOutput {
        private final AtomicLong octets = new AtomicLong();
        private final CountDownLatch reads;
        private final CountDownLatch exited = new CountDownLatch(1);

        private Reader(boolean reads) {
            this.reads = new CountDownLatch(reads ? 0 : 1);
        }

        @Override
        public void stdout(byte[] piece) {
            try {
                reads.await();
                octets.addAndGet(piece.length);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void stderr(byte[] octets) {}

        @Override
        public void exited(int code) {
            exited.countDown();
        }

        @Override
        public void failed(String why) {}
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private ContainerStreams streams(String... command) throws IOException {
        processes.add(new ProcessBuilder(command).redirectErrorStream(true).start());
        return new ContainerStreams(processes.get(0), ONCE);
    }

    private static ExecProcess client(ContainerStreams streams) {
        return attach(streams, new Reader(true));
    }

    private static ExecProcess attach(ContainerStreams streams, Reader reader) {
        return streams.attach(OPTIONS, reader).orElseThrow();
    }

    private ContainerStreams ended(Console console, String script) throws Exception {
        Process process =
                new ProcessBuilder("sh", "-c", script).redirectErrorStream(true).start();
        processes.add(process);
        ContainerStreams streams = new ContainerStreams(process, console);
        assertThat(streams.output().readAllBytes()).isNotEmpty();
        streams.end();
        return streams;
    }

    /** The output of {@code kubectl run --rm -i} if the command is faster than kubectl. */
    @Test
    void theFirstClientGetsWhatCameBeforeItAlsoAfterTheEnd() throws Exception {
        ContainerStreams streams = ended(ONCE, "echo early");
        Reader first = new Reader(true);
        attach(streams, first);
        Eventually.isTrue("all of it", () -> first.octets.get() == "early\n".length());
        first.exited.await();
        assertThat(streams.attach(OPTIONS, new Reader(true)))
                .as("nothing is left")
                .isEmpty();
    }

    @Test
    void ofMuchOutputTheLastIsKept() throws Exception {
        Reader reader = new Reader(true);
        attach(ended(ONCE, "head -c 100000 /dev/zero"), reader);
        reader.exited.await();
        assertThat(reader.octets).hasValue(64 * 1024);
    }

    @Test
    void linesOfOutputCostLittleWhileNobodyIsThere() throws Exception {
        Process process = new ProcessBuilder("head", "-c", "200000", "/dev/zero").start();
        processes.add(process);
        InputStream output = new ContainerStreams(process, ONCE).output();
        byte[] line = new byte[20];
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long read = 0;
        for (int length = output.read(line, 0, line.length); length > 0; length = output.read(line, 0, line.length)) {
            read += length;
        }
        assertThat(read).isEqualTo(200_000);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(16 * 1024 * 1024);
    }

    @Test
    void aContainerWithoutInputKeepsNothing() throws Exception {
        assertThat(ended(new Console(false, false, false), "echo early").attach(OPTIONS, new Reader(true)))
                .isEmpty();
    }

    private static void send(ExecProcess client) {
        for (int sent = 0; sent < MORE_THAN_A_PIPE_AND_A_QUEUE; sent += PIECE) {
            client.stdin(new byte[PIECE]);
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "client");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Test
    void whoWritesToAProcessThatReadsNothingMayGo() throws Exception {
        ContainerStreams streams = streams("sleep", "98755");
        ExecProcess client = client(streams);
        Thread writes = start(() -> send(client));
        Eventually.isTrue("it waits", () -> writes.getState() == Thread.State.WAITING);

        Thread closes = start(client::close);

        closes.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(closes.isAlive()).isFalse();
        writes.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(writes.isAlive()).isFalse();
    }

    @Test
    void whoSaysThatInputHasEndedDoesNotWaitForTheProcess() throws Exception {
        ContainerStreams streams = streams("sleep", "98755");
        ExecProcess first = client(streams);
        Thread writes = start(() -> send(first));
        Eventually.isTrue("it waits", () -> writes.getState() == Thread.State.WAITING);

        Thread closes = start(client(streams)::closeStdin);

        closes.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(closes.isAlive()).isFalse();
        writes.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(writes.isAlive()).isFalse();
    }

    @Test
    void theEndOfTheProcessFreesWhoWaits() throws Exception {
        ContainerStreams streams = streams("sleep", "98755");
        ExecProcess client = client(streams);
        Thread writes = start(() -> send(client));
        Eventually.isTrue("it waits", () -> writes.getState() == Thread.State.WAITING);

        processes.get(0).destroyForcibly();

        streams.end();
        writes.join(TimeUnit.MINUTES.toMillis(5));
        assertThat(writes.isAlive()).isFalse();
    }

    @Test
    void aClientThatDoesNotReadIsDroppedAndHoldsUpNobody() throws Exception {
        ContainerStreams streams = streams("head", "-c", String.valueOf(4 * MORE_THAN_A_PIPE_AND_A_QUEUE), "/dev/zero");
        Reader slow = new Reader(false);
        Reader quick = new Reader(true);
        attach(streams, slow);
        attach(streams, quick);

        try (InputStream log = streams.output()) {
            assertThat(log.readAllBytes()).hasSize(4 * MORE_THAN_A_PIPE_AND_A_QUEUE);
        }
        streams.end();

        Eventually.isTrue("all is read", () -> quick.octets.get() == 4 * MORE_THAN_A_PIPE_AND_A_QUEUE);
        assertThat(slow.octets.get()).isZero();
        slow.reads.countDown();
    }

    @Test
    void everythingComesInOrderAndThenTheEnd() throws Exception {
        ContainerStreams streams = streams("cat");
        ExecProcess client = client(streams);
        byte[] sent = new byte[MORE_THAN_A_PIPE_AND_A_QUEUE];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = (byte) (i / PIECE);
        }
        Thread writes = start(() -> {
            for (int i = 0; i < sent.length; i += PIECE) {
                client.stdin(Arrays.copyOfRange(sent, i, i + PIECE));
            }
            client.closeStdin();
        });
        try (InputStream output = processes.get(0).getInputStream()) {
            assertThat(output.readAllBytes()).isEqualTo(sent);
        }
        writes.join();
        assertThat(processes.get(0).waitFor()).isZero();
    }
}
