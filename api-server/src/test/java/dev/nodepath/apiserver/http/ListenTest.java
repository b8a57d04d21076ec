package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.stream.PodStreams;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenTest {
    @Test
    void acceptsOnAddressesAndOnASocketThatListensAlready() throws Exception {
        Epoll.ensureAvailability();
        try (TestCluster cluster = new TestCluster();
                ApiServer server = new ApiServer(
                        cluster.api, ObjectSchema.NONE, PodStreams.NONE, cluster.certificate, cluster.token)) {
            Socket socket = Socket.newSocketStream();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            socket.listen(10);
            server.listen(socket.intValue());
            List<Integer> ports = new ArrayList<>(List.of(socket.localAddress().getPort()));
            for (int i = 0; i < 2; i++) {
                ports.add(server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .getPort());
            }
            for (int port : ports) {
                assertThat(cluster.client
                                .send(
                                        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + "/version"))
                                                .build(),
                                        HttpResponse.BodyHandlers.ofString())
                                .body())
                        .contains("v1.36");
            }
        }
    }
}
