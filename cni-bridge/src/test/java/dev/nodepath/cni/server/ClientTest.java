package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.CompiledClient;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixConnection.Message;
import dev.nodepath.linux.io.UnixListener;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The client that a runtime execs, against servers played by a test; a script in place of the plugin's JVM prints its
 * input. Needs no privileges, but a C compiler.
 */
@Timeout(900)
class ClientTest {
    private static final String JVM = "jvm: ";

    @TempDir
    Path directory;

    private final KernelLinuxNet net = new KernelLinuxNet();

    /** Each part waits for others: threads that they share would not do. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    @BeforeEach
    void compile() throws Exception {
        CompiledClient.at(Path.of(client()));
        script("#!/bin/sh\nprintf '" + JVM + "%s ' \"$CNI_COMMAND\"\nexec cat\n");
    }

    @Test
    void handsItsCallToTheServerAndPrintsTheAnswer() throws Exception {
        Path netns = Files.writeString(directory.resolve("ns"), "namespace");
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> seen = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                Message message = connection.receive(Messages.BYTES_MAX).orElseThrow();
                CallRequest request = CallMessages.request(message.content());
                connection.send(CallMessages.reply(new CallOutcome(7, "out", "err")), Optional.empty());
                assertThat(request.root()).isEqualTo(FileIdentity.of(Path.of("/")));
                return new TreeMap<>(request.variables()) + " "
                        + StandardCharsets.UTF_8.decode(request.stdin()) + " "
                        + Files.readString(message.descriptor().orElseThrow().path());
            });
            assertThat(run("ADD", netns.toString(), "{}")).isEqualTo("7 out err");
            assertThat(seen.get(5, TimeUnit.MINUTES))
                    .isEqualTo("{CNI_COMMAND=ADD, CNI_NETNS=" + netns + "} {} namespace");
        }
    }

    /** A caller without the answer must not take the call for a success, nor may it go to another server. */
    @ParameterizedTest
    @ValueSource(strings = {">/dev/full", ">&-", ""})
    void failsIfItCannotPrintTheAnswer(String output) throws Exception {
        CountDownLatch left = new CountDownLatch(1); // the reader of its standard output is gone
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> seen = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                boolean asked = connection.receive(Messages.BYTES_MAX).isPresent();
                assertThat(left.await(5, TimeUnit.MINUTES)).isTrue();
                connection.send(CallMessages.reply(new CallOutcome(0, "out", "")), Optional.empty());
                return asked + " " + connection.receive(Messages.BYTES_MAX).isPresent();
            });
            Process shell = shell("{ \"$0\"; echo $? >&2; } " + output);
            shell.getOutputStream().close();
            shell.getInputStream().close();
            left.countDown();
            String told = new String(read(shell.getErrorStream()), StandardCharsets.UTF_8);
            assertThat(told).endsWith("\n1\n").contains("standard output");
            assertThat(seen.get(5, TimeUnit.MINUTES)).isEqualTo("true false");
        }
    }

    @Test
    void answersFromAFolderThatIsGone() throws Exception {
        script("#!/bin/sh\nprintf '" + JVM + "%s' \"$(pwd -P)\"\n");
        String gone = "mkdir \"$0-gone\"; cd \"$0-gone\"; rmdir \"$0-gone\"; exec \"$0\"";
        Process alone = shell(gone);
        alone.getOutputStream().close();
        assertThat(new String(read(alone.getInputStream()), StandardCharsets.UTF_8))
                .isEqualTo(JVM + "/");
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> seen = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                boolean asked = connection.receive(Messages.BYTES_MAX).isPresent();
                connection.send(CallMessages.reply(new CallOutcome(0, "out", "")), Optional.empty());
                return String.valueOf(asked);
            });
            Process served = shell(gone);
            served.getOutputStream().close();
            assertThat(new String(read(served.getInputStream()), StandardCharsets.UTF_8))
                    .isEqualTo("out");
            assertThat(seen.get(5, TimeUnit.MINUTES)).isEqualTo("true");
        }
    }

    @Test
    void sendsNoDescriptorOfANamespaceThatIsGone() throws Exception {
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> seen = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                Message message = connection.receive(Messages.BYTES_MAX).orElseThrow();
                connection.send(CallMessages.reply(new CallOutcome(0, "", "")), Optional.empty());
                return new TreeMap<>(CallMessages.request(message.content()).variables()) + " " + message.descriptor();
            });
            assertThat(run("DEL", "/missing", "{}")).isEqualTo("0  ");
            assertThat(seen.get(5, TimeUnit.MINUTES)).isEqualTo("{CNI_COMMAND=DEL, CNI_NETNS=/missing} Optional.empty");
        }
    }

    /** The possible faults of a server. */
    enum Fault {
        SILENT,
        OLDER_VERSION,
        NEWER_VERSION,
        NEWER_VERSION_OF_MORE_BYTES,
        OTHER_NAMESPACE,
        LEAVES,
        LEAVES_AT_REQUEST,
        ANSWERS_NONSENSE
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void becomesAJvmWithTheSameInputIfTheServerFails(Fault fault) throws Exception {
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> server = serve(listener, connection -> play(fault, connection));
            assertThat(run("ADD", "", "the input")).isEqualTo("0 " + JVM + "ADD the input ");
            assertThat(server.get(5, TimeUnit.MINUTES)).isEqualTo(fault.name());
        }
    }

    private static String play(Fault fault, UnixConnection connection) throws IOException {
        boolean greets = fault != Fault.SILENT && fault != Fault.LEAVES;
        if (greets) {
            connection.send(hello(fault), Optional.empty());
        }
        if (fault == Fault.LEAVES) {
            return fault.name();
        }
        // A client that is not satisfied leaves without a request.
        Optional<Message> request = connection.receive(Messages.BYTES_MAX);
        boolean satisfied = fault == Fault.LEAVES_AT_REQUEST || fault == Fault.ANSWERS_NONSENSE;
        assertThat(request.isPresent()).isEqualTo(satisfied);
        if (fault == Fault.ANSWERS_NONSENSE) {
            connection.send(new byte[] {0, 0, 0, 0, 127, 127, 127, 127, 0}, Optional.empty());
        }
        return fault.name();
    }

    private static byte[] hello(Fault fault) throws IOException {
        return switch (fault) {
            case OTHER_NAMESPACE -> CallMessages.hello(new FileIdentity(1, 1));
            case OLDER_VERSION -> ownHello(CallMessages.VERSION - 1);
            case NEWER_VERSION -> ownHello(CallMessages.VERSION + 1);
            case NEWER_VERSION_OF_MORE_BYTES -> Arrays.copyOf(ownHello(CallMessages.VERSION + 1), 100);
            default -> ownHello(CallMessages.VERSION);
        };
    }

    @Test
    void becomesAJvmWithoutAServer() throws Exception {
        assertThat(run("ADD", "", "x")).isEqualTo("0 " + JVM + "ADD x ");
        net.listen(socket(), 1).close(); // the leftovers of kill -9
        assertThat(run("DEL", "", "y")).isEqualTo("0 " + JVM + "DEL y ");
    }

    @Test
    void becomesAJvmAlsoIfItIsReplacedMeanwhile() throws Exception {
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> server = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                boolean asked = connection.receive(Messages.BYTES_MAX).isPresent();
                Path young = Files.copy(Path.of(client()), directory.resolve("young"));
                Files.move(young, Path.of(client()), StandardCopyOption.ATOMIC_MOVE);
                return String.valueOf(asked);
            });
            assertThat(run("ADD", "", "x")).isEqualTo("0 " + JVM + "ADD x ");
            assertThat(server.get(5, TimeUnit.MINUTES)).isEqualTo("true");
        }
    }

    @Test
    void becomesAJvmIfTheInputIsTooLongForAMessage() throws Exception {
        String input = "x".repeat(900_000);
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> server = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                return connection.receive(Messages.BYTES_MAX).isPresent() ? "request" : "none";
            });
            assertThat(run("ADD", "", input)).isEqualTo("0 " + JVM + "ADD " + input + " ");
            assertThat(server.get(5, TimeUnit.MINUTES)).isEqualTo("none");
        }
    }

    @Test
    void asksForTheVersionWithoutReadingItsInput() throws Exception {
        try (UnixListener listener = net.listen(socket(), 1)) {
            CompletableFuture<String> server = serve(listener, connection -> {
                connection.send(ownHello(CallMessages.VERSION), Optional.empty());
                Message message = connection.receive(Messages.BYTES_MAX).orElseThrow();
                connection.send(CallMessages.reply(new CallOutcome(0, "1.1.0", "")), Optional.empty());
                return String.valueOf(
                        CallMessages.request(message.content()).stdin().remaining());
            });
            Process process = start("VERSION", ""); // its standard input stays open
            try {
                assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
                assertThat(process.exitValue()).isZero();
                assertThat(process.inputReader().readLine()).isEqualTo("1.1.0");
                assertThat(server.get(5, TimeUnit.MINUTES)).isEqualTo("0");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void saysInTheProtocolThatNothingIsThereToDoTheCall() throws Exception {
        Files.delete(directory.resolve("nodepath-bridge-jvm"));
        assertThat(run("ADD", "", ""))
                .isEqualTo(
                        "1 {\"cniVersion\":\"1.1.0\",\"code\":999,\"msg\":\"nodepath-bridge: no CNI server answers, and"
                                + " nodepath-bridge-jvm beside this program cannot be run: No such file or directory\"}\n ");
    }

    /** The exchange of a test's server with one client. */
    private interface Part {
        String play(UnixConnection connection) throws Exception;
    }

    private CompletableFuture<String> serve(UnixListener listener, Part part) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (UnixConnection connection = listener.accept()) {
                        return part.play(connection);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
    }

    private static byte[] ownHello(int version) throws IOException {
        byte[] hello = CallMessages.hello(FileIdentity.of(Path.of("/proc/self/ns/net")));
        hello[0] = (byte) version;
        return hello;
    }

    private String run(String command, String netns, String input) throws Exception {
        Process process = start(command, netns);
        CompletableFuture<byte[]> stderr = CompletableFuture.supplyAsync(() -> read(process.getErrorStream()), threads);
        CompletableFuture<byte[]> stdout = CompletableFuture.supplyAsync(() -> read(process.getInputStream()), threads);
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("Broken pipe"); // it did not read
        }
        return process.waitFor() + " " + new String(stdout.get(), StandardCharsets.UTF_8) + " "
                + new String(stderr.get(), StandardCharsets.UTF_8);
    }

    private Process start(String command, String netns) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(client());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("NODEPATH_CNI_SOCKET", socket().toString());
        builder.environment().putAll(Map.of("CNI_COMMAND", command, "OTHER", "not sent"));
        if (!netns.isEmpty()) {
            builder.environment().put("CNI_NETNS", netns);
        }
        return builder.start();
    }

    /** A shell that knows the client as {@code $0}. */
    private Process shell(String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", line, client());
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of(
                        "PATH", "/usr/bin:/bin", "NODEPATH_CNI_SOCKET", socket().toString(), "CNI_COMMAND", "ADD"));
        return builder.start();
    }

    private static byte[] read(InputStream stream) {
        try {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void script(String text) throws IOException {
        Path script = Files.writeString(directory.resolve("nodepath-bridge-jvm"), text);
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    private String client() {
        return directory.resolve("nodepath-bridge").toString();
    }

    private Path socket() {
        return directory.resolve("cni.sock");
    }
}
