package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Run in an enclosure. */
@Tag("figures")
class DnsServerFiguresTest {
    private static final int WINDOW = 128;
    private static final int QUERIES = 200_000;

    @Test
    void queriesOfOneNamespaceInASecond() throws Exception {
        double rate;
        try (DnsNamespaces namespaces = new DnsNamespaces()) {
            rate = namespaces.client().call(DnsServerFiguresTest::load);
        }
        System.out.printf("%,.0f queries/s from one socket over UDP, %d under way%n", rate, WINDOW);
        assertThat(rate).isGreaterThan(10_000);
    }

    /** Keeps a window of queries under way, and counts responses. */
    private static double load() throws Exception {
        byte[] query = QueryBytes.query(7, "web.shop.svc.cluster.local", "A");
        InetSocketAddress address = new InetSocketAddress(DnsNamespaces.SERVER, DnsNamespaces.PORT);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(address);
            socket.setSoTimeout(1000);
            DatagramPacket sent = new DatagramPacket(query, query.length, address);
            DatagramPacket received = new DatagramPacket(new byte[512], 512);
            int underWay = 0;
            int answered = 0;
            long start = System.nanoTime();
            while (answered < QUERIES) {
                for (; underWay < WINDOW; underWay++) {
                    socket.send(sent);
                }
                try {
                    socket.receive(received);
                    answered++;
                    underWay--;
                } catch (SocketTimeoutException e) {
                    underWay = 0;
                }
            }
            return answered * 1e9 / (System.nanoTime() - start);
        }
    }
}
