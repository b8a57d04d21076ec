package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class NodeLeaseTest {
    /** A handshake for each renewal would take more of a processor than all else that an idle node does. */
    @Test
    void renewsOverOneConnection() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        ServerCertificate certificate = ServerCertificate.create(List.of(loopback), Instant.now());
        HttpsServer server = HttpsServer.create(new InetSocketAddress(loopback, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(serving(certificate)));
        Queue<InetSocketAddress> clients = new ConcurrentLinkedQueue<>();
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            clients.add(exchange.getRemoteAddress());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String url = "https://127.0.0.1:" + server.getAddress().getPort();
        ApiAccess access = ApiAccess.trusting(certificate.certificate(), url, "token");
        try (NodeLease lease =
                new NodeLease("n1", access, new FakeLinuxNet().create("n1"), Clock.systemUTC(), connected -> {})) {
            lease.start();
            Eventually.isTrue(() -> "three renewals: " + clients, () -> clients.size() >= 3);
        } finally {
            server.stop(0);
        }
        assertThat(clients).containsOnly(clients.element());
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
