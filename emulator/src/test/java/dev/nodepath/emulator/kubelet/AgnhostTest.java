package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.HeldPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(900)
class AgnhostTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final String IMAGE = "registry.k8s.io/e2e-test-images/agnhost:2.47";

    @TempDir
    private Path folder;

    private static ContainerSpec container(String image, String fields) throws Exception {
        return ContainerSpec.containers(new ObjectMapper()
                        .readTree(
                                ("{'spec': {'containers': [{'name': 'c', 'image': '" + image + "', " + fields + "}]}}")
                                        .replace('\'', '"')))
                .get(0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            'args': ['netexec']                                                            | 8080 | 0    | 8081
            'args': ['netexec', '--http-port=80', '--udp-port=-1']                         | 80   | 0    | 0
            'args': ['netexec', '--http-port', '8083', '--udp-port', '8084', '--delay-shutdown=5'] | 8083 | 0 | 8084
            'args': ['netexec', '-http-port=81', '--udp-port=82']                          | 81   | 0    | 82
            'command': ['/agnhost'], 'args': ['netexec']                                   | 8080 | 0    | 8081
            'command': ['/agnhost', 'serve-hostname', '--http=true', '--port=8080']        | 8080 | 0    | 0
            'command': ['agnhost', 'serve-hostname']                                       | 9376 | 0    | 0
            'args': ['serve-hostname', '--tcp', '--http=false', '--port', '80']            | 0    | 80   | 0
            'args': ['serve-hostname', '--udp', '--http=false', '--port', '80']            | 0    | 0    | 80
            """)
    void theBuiltInServerListensWhereItIsTold(String fields, int http, int tcp, int udp) throws Exception {
        ContainerSpec container = container(IMAGE, fields);
        Agnhost agnhost = Agnhost.of(container.json()).orElseThrow();
        assertThat(container.isBuiltIn()).isTrue();
        assertThat(agnhost.serves()).isTrue();
        assertThat(List.of(agnhost.httpPort(), agnhost.tcpPort(), agnhost.udpPort()))
                .containsExactly(http, tcp, udp);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            agnhost          | 'args': ['pause']                                    | /agnhost pause
            agnhost:2.47     | 'command': ['/agnhost', 'connect', 'web:80']         | /agnhost connect web:80
            agnhost@sha256:1 | 'command': ['/agnhost'], 'args': ['connect', 'a:1']  | /agnhost connect a:1
            agnhost:2.47     | 'command': ['/agnhost', 'porter']                    | /agnhost porter
            agnhost:2.47     | 'command': ['sleep', '9']                            | sleep 9
            agnhost:2.47     | 'args': ['liveness']                                 | ``
            agnhost:2.47     | 'args': []                                           | ``
            x/myagnhost:1    | 'args': ['netexec']                                  | ``
            agnhost-extra    | 'command': ['/agnhost', 'netexec']                   | /agnhost netexec
            """)
    void theRestIsAProgramOrTheUsualServer(String image, String fields, String command) throws Exception {
        ContainerSpec container = container(image, fields);
        assertThat(String.join(" ", container.command())).isEqualTo(command);
        assertThat(Agnhost.of(container.json()).filter(Agnhost::serves)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "--sctp-port=-1, ''",
        "--sctp-port=9080, --sctp-port: \"9080\"",
        "--tls-cert-file=/localhost.crt, --tls-cert-file: \"/localhost.crt\"",
    })
    void aFlagThatNothingHereObeysIsAnError(String flag, String problem) throws Exception {
        Agnhost agnhost = Agnhost.of(
                        container(IMAGE, "'args': ['netexec', '" + flag + "']").json())
                .orElseThrow();
        if (problem.isEmpty()) {
            agnhost.requireServed();
        } else {
            assertThatThrownBy(agnhost::requireServed).hasMessageStartingWith("agnhost: " + problem);
        }
    }

    private String connect(String... words) throws Exception {
        Path program = folder.resolve(Agnhost.SCRIPT);
        EntryScript.write(Agnhost.SCRIPT, program);
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(words));
        ShortCommand run =
                ShortCommand.run(new ProcessBuilder(command).redirectErrorStream(true), "", Duration.ofMinutes(10));
        return run.exitCode() + " " + run.output().strip();
    }

    @Test
    void connectSaysWhatHappened() throws Exception {
        int port = HeldPorts.next();
        try (ServerSocket server = new ServerSocket(port, 10, LOOPBACK)) {
            assertThat(server.isBound()).isTrue();
            assertThat(connect("connect", "127.0.0.1:" + port, "--timeout=300s"))
                    .isEqualTo("0 ");
            assertThat(connect("connect", "--timeout", "300s", "--protocol", "tcp", "localhost:" + port))
                    .isEqualTo("0 ");
        }
        assertThat(connect("connect", "127.0.0.1:" + port)).isEqualTo("1 REFUSED");
        assertThat(connect("connect", "no-such-name.invalid:80")).startsWith("1 DNS: lookup no-such-name.invalid");
        assertThat(connect("connect", "web")).isEqualTo("1 UNKNOWN: address web: missing port in address");
        assertThat(connect("connect", "web:1", "--timeout=soon")).startsWith("1 agnhost: --timeout: soon (expected:");
        assertThat(connect("connect", "web:1", "--protocol=sctp")).startsWith("1 agnhost: --protocol: sctp (expected:");
        assertThat(connect("connect", "web:1", "--fast")).startsWith("1 agnhost: --fast (expected:");
        assertThat(connect("porter")).startsWith("1 agnhost: porter (expected: pause or connect;");
    }

    @Test
    void connectAsksADatagramServerForAnAnswer() throws Exception {
        try (DatagramSocket server = new DatagramSocket(0, LOOPBACK)) {
            String target = "127.0.0.1:" + server.getLocalPort();
            assertThat(connect("connect", target, "--protocol=udp", "--timeout=0m4s080ms"))
                    .isEqualTo("1 TIMEOUT");
            DatagramPacket packet = new DatagramPacket(new byte[16], 16);
            server.receive(packet);
            assertThat(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.US_ASCII))
                    .isEqualTo("hostname\n");
            Thread answer = new Thread(() -> answer(server));
            answer.start();
            assertThat(connect("connect", target, "--protocol=udp", "--udp-data=hostname", "--timeout=300s"))
                    .isEqualTo("0 ");
            answer.join();
        }
    }

    private static void answer(DatagramSocket server) {
        try {
            DatagramPacket packet = new DatagramPacket(new byte[16], 16);
            server.receive(packet);
            server.send(packet);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
