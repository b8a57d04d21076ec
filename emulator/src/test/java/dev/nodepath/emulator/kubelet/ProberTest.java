package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.linux.HeldPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900)
class ProberTest {
    private static final InetAddress POD = InetAddress.getLoopbackAddress();
    private static final Duration LONG = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    /** Answers a path that is a status with it; {@code /to/URL} leads there; {@code /header} wants one. */
    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        int status = 200;
        if (path.startsWith("/to/")) {
            exchange.getResponseHeaders().set("Location", path.substring("/to/".length()));
            status = 302;
        } else if (path.equals("/header")) {
            boolean wanted = "yes".equals(exchange.getRequestHeaders().getFirst("X-Probe"))
                    && "pod.example".equals(exchange.getRequestHeaders().getFirst("Host"))
                    && String.valueOf(exchange.getRequestHeaders().getFirst("User-Agent"))
                            .startsWith("kube-probe/");
            status = wanted ? 200 : 400;
        } else if (path.matches("/[0-9]{3}")) {
            status = Integer.parseInt(path.substring(1));
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private static <S extends HttpServer> S started(S server) throws IOException {
        server.bind(new InetSocketAddress(POD, 0), 0);
        server.createContext("/", ProberTest::answer);
        server.start();
        return server;
    }

    private static Optional<String> problem(String probe, int port) throws IOException {
        ProbeSpec spec = ProbeSpec.of(
                        new ObjectMapper().readTree("{\"probe\": " + probe.replace('\'', '"') + "}"),
                        "probe",
                        Map.of("web", port))
                .orElseThrow();
        return Prober.problem(spec.action(), POD, Path.of("/none"), LONG);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'path': '/200'                        |
            'path': '200'                         |
            'path': '/399'                        |
            'path': '/404'                        | HTTP probe failed with statuscode: 404
            'path': '/503'                        | HTTP probe failed with statuscode: 503
            'path': '/to//200'                    |
            'path': '/to//503'                    | HTTP probe failed with statuscode: 503
            'path': '/to/http://192.0.2.1/503'    |
            'path': '/to/'                        |
            'path': '/header'                     | HTTP probe failed with statuscode: 400
            'path': '/header', 'httpHeaders': [{'name': 'X-Probe', 'value': 'yes'}, {'name': 'Host', 'value': 'pod.example'}] |
            'path': '/503', 'host': '127.0.0.1'   | HTTP probe failed with statuscode: 503
            """)
    void anHttpProbeIsWhatAKubeletMakes(String fields, String expected) throws Exception {
        HttpServer server = started(HttpServer.create());
        try {
            assertThat(problem(
                            "{'httpGet': {'port': 'web', " + fields + "}}",
                            server.getAddress().getPort()))
                    .isEqualTo(Optional.ofNullable(expected));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void redirectsThatNeverEndFail() throws Exception {
        HttpServer server = started(HttpServer.create());
        server.createContext("/loop", exchange -> {
            exchange.getResponseHeaders().set("Location", "/loop");
            exchange.sendResponseHeaders(301, -1);
            exchange.close();
        });
        try {
            assertThat(problem(
                            "{'httpGet': {'port': 'web', 'path': '/loop'}}",
                            server.getAddress().getPort()))
                    .hasValueSatisfying(why -> assertThat(why).endsWith("stopped after 10 redirects"));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aCertificateIsNotVerified() throws Exception {
        HttpsServer server = HttpsServer.create();
        server.setHttpsConfigurator(new HttpsConfigurator(tls()));
        int port = started(server).getAddress().getPort();
        try {
            assertThat(problem("{'httpGet': {'port': 'web', 'scheme': 'HTTPS', 'path': '/200'}}", port))
                    .isEmpty();
            assertThat(problem("{'httpGet': {'port': 'web', 'path': '/200'}}", port))
                    .as("no TLS")
                    .isPresent();
        } finally {
            server.stop(0);
        }
    }

    /** The certificate is for another name. */
    private static SSLContext tls() throws Exception {
        ServerCertificate certificate = ServerCertificate.create(List.of(), Instant.now());
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry("server", certificate.key(), new char[0], new Certificate[] {certificate.certificate()});
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void saysWhyNothingAnswers() throws Exception {
        int port = HeldPorts.next();
        try (ServerSocket socket = new ServerSocket(port, 1, POD)) {
            assertThat(socket.isBound()).isTrue();
            assertThat(problem("{'tcpSocket': {'port': 'web'}}", port)).isEmpty();
            assertThat(Prober.problem(
                            new ProbeSpec.HttpGet("http", "", "/", port, Map.of()),
                            POD,
                            Path.of("/none"),
                            Duration.ofMillis(50)))
                    .as("it never answers")
                    .contains("Get \"http://127.0.0.1:" + port
                            + "/\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
        }
        String refused = "dial tcp 127.0.0.1:" + port + ": connect: connection refused";
        assertThat(problem("{'tcpSocket': {'port': 'web'}}", port)).contains(refused);
        assertThat(problem("{'httpGet': {'port': 'web', 'path': '/live'}}", port))
                .contains("Get \"http://127.0.0.1:" + port + "/live\": " + refused);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true                         |
            echo no database >&2; exit 3 | no database
            exit 3                       | command "sh -c exit 3" ended with exit code 3
            """)
    void aCommandSaysWhyItFails(String script, String expected) throws Exception {
        assertThat(Prober.problem(new ProbeSpec.Exec(List.of("sh", "-c", script)), POD, enter(), LONG))
                .isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void aCommandThatTakesTooLongFails() throws Exception {
        assertThat(Prober.problem(new ProbeSpec.Exec(List.of("sleep", "300")), POD, enter(), Duration.ofSeconds(1)))
                .contains("command timed out: \"sleep 300\" timed out after 1s");
    }

    @Test
    void aCommandThatCannotBeStartedHasNoResult() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> Prober.problem(new ProbeSpec.Exec(List.of("true")), POD, folder.resolve("absent"), LONG))
                .withMessageContainingAll("absent", "No such file");
    }

    /** The script that enters a container says so; a command may end with the same code. */
    @ParameterizedTest
    @ValueSource(ints = {126, 127})
    void aCommandThatTheContainerLacksHasNoResult(int code) throws Exception {
        Path enter = enter("echo \"exec: \\\"$1\\\": not there\" >&2; exit " + code);
        assertThatIllegalStateException()
                .isThrownBy(() -> Prober.problem(new ProbeSpec.Exec(List.of("nosuch")), POD, enter, LONG))
                .withMessage("exec: \"nosuch\": not there");
        assertThat(Prober.problem(new ProbeSpec.Exec(List.of("sh", "-c", "exit " + code)), POD, enter(), LONG))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            'nosuch' | strconv.Atoi: parsing "nosuch": invalid syntax
            'WEB'    | strconv.Atoi: parsing "WEB": invalid syntax
            '0'      | invalid port number: 0
            '65536'  | invalid port number: 65536
            0        | invalid port number: 0
            """, quoteCharacter = '`')
    void aPortThatIsNoneHasNoResult(String port, String why) {
        for (String action : List.of("httpGet", "tcpSocket")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> problem("{'" + action + "': {'port': " + port + "}}", 80))
                    .withMessage(why);
        }
    }

    private Path enter() throws IOException {
        return enter("exec \"$@\"");
    }

    private Path enter(String script) throws IOException {
        Path enter = Files.writeString(folder.resolve("enter"), "#!/bin/sh\n" + script + "\n");
        return Files.setPosixFilePermissions(enter, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
