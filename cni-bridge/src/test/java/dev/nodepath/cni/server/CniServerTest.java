package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.cni.AttachmentLocks;
import dev.nodepath.cni.ipam.MemoryLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixConnection.Message;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server on a real unix socket, with a handler that only looks at its input. Needs no privileges. */
@Timeout(900)
class CniServerTest {
    private static final Syscalls SYSCALLS = Syscalls.load();

    @TempDir
    Path directory;

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final List<CniServer> servers = new ArrayList<>();
    private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void stopServers() throws Exception {
        for (CniServer server : servers) {
            server.stop();
        }
    }

    @Test
    void greetsAndAnswersOnWhatTheClientSent() throws Exception {
        start((request, namespace) -> Optional.of(new CallOutcome(3, describe(request, namespace), "warning")));
        Path file = Files.writeString(directory.resolve("ns"), "namespace");
        try (UnixConnection client = UnixConnection.connect(SYSCALLS, socket());
                Descriptor descriptor = Descriptor.open(SYSCALLS, file)) {
            ByteBuffer hello = client.receive(100).orElseThrow().content();
            assertThat(hello.getInt()).isEqualTo(CallMessages.VERSION);
            assertThat(new FileIdentity(hello.getLong(), hello.getLong()))
                    .isEqualTo(FileIdentity.of(Path.of("/proc/self/ns/net")));
            client.send(
                    Messages.request(CallMessages.VERSION, "CNI_COMMAND=ADD\0CNI_ARGS=A=B;C=D\0", "{\"name\":\"ü\"}"),
                    Optional.of(descriptor));
            assertThat(Messages.answer(client))
                    .contains("3 {CNI_COMMAND=ADD, CNI_ARGS=A=B;C=D} {\"name\":\"ü\"} namespace warning");
            assertThat(Messages.answer(client)).isEmpty();
        }
        assertThat(event()).isEqualTo("served ADD 3");
        assertThat(call(Messages.request(CallMessages.VERSION, "CNI_COMMAND=DEL\0", "")))
                .contains("3 {CNI_COMMAND=DEL}   warning");
    }

    @Test
    void sendsAwayWhoSendsNonsenseAndServesTheNext() throws Exception {
        start((request, namespace) -> Optional.of(new CallOutcome(0, "", "")));
        assertThat(call(new byte[] {1, 2, 3})).isEmpty();
        assertThat(event()).isEqualTo("refused request: 3 bytes (expected: >= 24)");
        assertThat(call(Messages.request(99, "", ""))).isEmpty();
        assertThat(event()).isEqualTo("refused request version: 99 (expected: " + CallMessages.VERSION + ")");
        for (int bytes : new int[] {-1, 5, Integer.MAX_VALUE}) {
            assertThat(call(Messages.frame(CallMessages.VERSION, bytes, "four")))
                    .isEmpty();
            assertThat(event()).isEqualTo("refused request environment: " + bytes + " bytes (expected: at most 4)");
        }
        UnixConnection.connect(SYSCALLS, socket()).close();
        assertThat(event()).startsWith("refused ");
        assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).contains("0  ");
    }

    @Test
    void sendsNoAnswerToACallThatItsClientHasToMake() throws Exception {
        start((request, namespace) ->
                request.root().equals(Messages.ROOT) ? Optional.empty() : Optional.of(new CallOutcome(0, "", "")));
        assertThat(call(Messages.request(CallMessages.VERSION, "CNI_COMMAND=ADD\0", "")))
                .isEmpty();
        assertThat(event()).isEqualTo("left to client ADD");
    }

    @Test
    void doesNotBeginTheCallOfAClientThatIsGone() throws Exception {
        startHeld();
        List<UnixConnection> busy = occupyAllRooms();
        UnixConnection impatient = UnixConnection.connect(SYSCALLS, socket());
        impatient.send(Messages.request(CallMessages.VERSION, "CNI_COMMAND=ADD\0", ""), Optional.empty());
        impatient.close();
        release.countDown();
        answered(busy);
        String last = event();
        while (last.startsWith("served ")) {
            last = event();
        }
        assertThat(last).startsWith("refused ");
        assertThat(begun).hasSize(CniServer.CALLS_MAX).doesNotContain("ADD");
    }

    @Test
    void doesNotBeginTheCallOfAClientThatLeftWhileAnotherCallOfItsAttachmentWasUnderWay() throws Exception {
        startHeld();
        String attachment = "\0CNI_CONTAINERID=c1\0CNI_IFNAME=eth0\0";
        try (UnixConnection first = greeted()) {
            first.send(Messages.request(CallMessages.VERSION, "CNI_COMMAND=DEL" + attachment, ""), Optional.empty());
            assertThat(begun.poll(5, TimeUnit.MINUTES)).isEqualTo("DEL");
            UnixConnection impatient = greeted();
            impatient.send(
                    Messages.request(CallMessages.VERSION, "CNI_COMMAND=ADD" + attachment, ""), Optional.empty());
            impatient.close();
            release.countDown();
            assertThat(Messages.answer(first)).isPresent();
        }
        assertThat(List.of(event(), event()))
                .containsExactlyInAnyOrder("served DEL 0", "refused not begun: the client left");
        assertThat(begun).isEmpty();
    }

    @Test
    void makesABoundedNumberOfCallsAtOnce() throws Exception {
        startHeld();
        List<UnixConnection> busy = occupyAllRooms();
        try (UnixConnection next = UnixConnection.connect(SYSCALLS, socket())) {
            awaitNoRoom();
            next.setTimeout(Duration.ofMillis(1));
            assertThatThrownBy(() -> next.receive(100)).hasMessage("receive message: EAGAIN");
            release.countDown();
            next.setTimeout(Duration.ofMinutes(5));
            assertThat(next.receive(100)).isPresent();
        }
        answered(busy);
    }

    @Test
    void closesTheConnectionOfACallWhoseThreadCannotStartAndServesTheNext() throws Exception {
        AtomicInteger failures = new AtomicInteger(1);
        start((request, namespace) -> Optional.of(new CallOutcome(0, "done", "")), call -> {
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(call);
        });
        try (UnixConnection unlucky = UnixConnection.connect(SYSCALLS, socket())) {
            unlucky.setTimeout(Duration.ofMinutes(5));
            assertThat(unlucky.receive(100)).as("closed").isEmpty();
        }
        assertThat(event()).isEqualTo("accept failed call not begun: unable to create native thread");
        assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).contains("0 done ");
    }

    @Test
    void keepsAThreadForTheNextCallUnlessItFailed() throws Exception {
        AtomicInteger threads = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        start(
                (request, namespace) -> {
                    if (calls.getAndIncrement() == 0) {
                        throw new AssertionError("the thread is lost");
                    }
                    return Optional.of(new CallOutcome(0, "done", ""));
                },
                call -> {
                    threads.incrementAndGet();
                    Thread thread = new Thread(call);
                    thread.setUncaughtExceptionHandler((failed, problem) -> {});
                    return thread;
                });
        assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).isEmpty();
        for (int i = 0; i < 50; i++) {
            assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).contains("0 done ");
        }
        assertThat(threads.get()).isGreaterThan(1).isLessThan(50);
    }

    @Test
    void refusesASecondServerAndTakesOverFromADeadOne() throws Exception {
        net.listen(socket(), 1).close(); // the leftovers of kill -9
        CniServer first = start((request, namespace) -> Optional.of(new CallOutcome(1, "first", "")));
        assertThatThrownBy(() -> start((request, namespace) -> Optional.of(new CallOutcome(2, "second", ""))))
                .isInstanceOf(IOException.class)
                .hasMessage("another CNI server is at " + socket() + " (it holds " + socket() + ".lock)");
        assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).contains("1 first ");
        first.stop();
        assertThat(socket()).doesNotExist();
        start((request, namespace) -> Optional.of(new CallOutcome(3, "third", "")));
        assertThat(call(Messages.request(CallMessages.VERSION, "", ""))).contains("3 third ");
    }

    @Test
    void answersCallsUnderWayBeforeItStops() throws Exception {
        CniServer server = startHeld();
        try (UnixConnection client = greeted()) {
            client.send(Messages.request(CallMessages.VERSION, "CNI_COMMAND=ADD\0", ""), Optional.empty());
            assertThat(begun.poll(5, TimeUnit.MINUTES)).isEqualTo("ADD");
            Thread stopping = new Thread(() -> stop(server));
            stopping.start();
            Eventually.isTrue("the socket is gone", () -> !Files.exists(socket()));
            release.countDown();
            assertThat(Messages.answer(client)).contains("0 done ");
            stopping.join();
        }
    }

    private CniServer start(CallHandler handler) throws IOException {
        return start(handler, Thread::new);
    }

    private CniServer start(CallHandler handler, ThreadFactory threads) throws IOException {
        CniServer server = CniServer.open(
                net,
                socket(),
                handler,
                new AttachmentLocks(directory.resolve("locks"), new MemoryLocks(), Duration.ofSeconds(30)),
                new ServerEvents(events),
                threads);
        servers.add(server);
        new Thread(
                        () -> {
                            try {
                                server.run();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        "server")
                .start();
        return server;
    }

    /** A server whose calls report their begin, and end when they are released. */
    private CniServer startHeld() throws IOException {
        return start((request, namespace) -> {
            begun.add(request.variables().getOrDefault("CNI_COMMAND", ""));
            await(release);
            return Optional.of(new CallOutcome(0, "done", ""));
        });
    }

    private static void stop(CniServer server) {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<UnixConnection> occupyAllRooms() throws Exception {
        List<UnixConnection> clients = new ArrayList<>();
        for (int i = 0; i < CniServer.CALLS_MAX; i++) {
            UnixConnection client = greeted();
            client.send(Messages.request(CallMessages.VERSION, "", ""), Optional.empty());
            clients.add(client);
        }
        return clients;
    }

    /** Until the server waits for the end of a call. */
    private static void awaitNoRoom() {
        Eventually.isTrue(
                "the server waits",
                () -> Thread.getAllStackTraces().entrySet().stream()
                        .filter(thread -> thread.getKey().getName().equals("server"))
                        .anyMatch(
                                thread -> List.of(thread.getValue()).toString().contains("Semaphore.acquire")));
    }

    private static void answered(List<UnixConnection> clients) throws Exception {
        for (UnixConnection client : clients) {
            assertThat(Messages.answer(client)).isPresent();
            client.close();
        }
    }

    private UnixConnection greeted() throws IOException {
        UnixConnection client = UnixConnection.connect(SYSCALLS, socket());
        Optional<Message> hello = client.receive(100);
        assertThat(hello).isPresent();
        return client;
    }

    private Optional<String> call(byte[] request) throws Exception {
        try (UnixConnection client = greeted()) {
            client.send(request, Optional.empty());
            return Messages.answer(client);
        }
    }

    private String event() throws InterruptedException {
        return String.valueOf(events.poll(5, TimeUnit.MINUTES));
    }

    private Path socket() {
        return directory.resolve("cni.sock");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String describe(CallRequest request, Optional<Descriptor> namespace) {
        try {
            return request.variables() + " "
                    + StandardCharsets.UTF_8.decode(request.stdin().duplicate())
                    + " "
                    + (namespace.isPresent() ? Files.readString(namespace.get().path()) : "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
