package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class NodeLeaseTest {
    /** A handshake for each renewal would take more of a processor than all else that an idle node does. */
    @Test
    void aNodeRenewsOverAConnectionOfItsOwn() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        ServerCertificate certificate = ServerCertificate.create(List.of(loopback), Instant.now());
        HttpsServer server = HttpsServer.create(new InetSocketAddress(loopback, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serving(certificate)));
        Map<Integer, Queue<String>> nodes = new ConcurrentHashMap<>(); // by the client's port
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            nodes.computeIfAbsent(exchange.getRemoteAddress().getPort(), port -> new ConcurrentLinkedQueue<>())
                    .add(path.substring(path.lastIndexOf('/') + 1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String url = "https://127.0.0.1:" + server.getAddress().getPort();
        ApiAccess access = ApiAccess.trusting(certificate.certificate(), url, "token");
        try (NodeLease one = lease("n1", access);
                NodeLease two = lease("n2", access)) {
            one.start();
            two.start();
            for (String node : List.of("n1", "n2")) {
                Eventually.isTrue(
                        () -> node + " renews twice over a connection: " + nodes,
                        () -> nodes.values().stream().anyMatch(each -> Collections.frequency(each, node) > 1));
            }
        } finally {
            server.stop(0);
        }
        assertThat(nodes.values())
                .allSatisfy(each -> assertThat(Set.copyOf(each)).hasSize(1));
    }

    private static NodeLease lease(String node, ApiAccess access) throws LinuxNetException {
        return new NodeLease(node, access, new FakeLinuxNet().create(node), InstantSource.system(), connected -> {});
    }

    private static SSLContext serving(ServerCertificate certificate) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry("server", certificate.key(), new char[0], new Certificate[] {certificate.certificate()});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
