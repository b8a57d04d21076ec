package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.policy.BridgedPods.Host;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.RefusedFlows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that a change forbids, on a node that ends them. */
@Tag("netns")
class RefusedFlowsNetnsTest {
    private static final long LIMIT_NANOS = Duration.ofMinutes(1).toNanos();
    private static final PolicyNode STRICT = new PolicyNode("n1", "cni0", false, true, 0);
    private static final PolicyChanges DENY = new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("x/deny")));

    private BridgedPods pods;
    private NftTables nft;
    private Conntrack conntrack;

    @BeforeEach
    void make() throws Exception {
        pods = new BridgedPods();
        nft = pods.handle(Host.NODE).call(() -> new KernelLinuxNet().nftTables());
        conntrack = pods.handle(Host.NODE).call(() -> new KernelLinuxNet().conntrack());
    }

    @AfterEach
    void close() throws Exception {
        conntrack.close();
        nft.close();
        pods.close();
    }

    /** An open connection. */
    private record Ends(SocketChannel client, SocketChannel server) {}

    private Ends connect(Host from, Host to, IpFamily family) throws Exception {
        SocketChannel client = pods.connect(from, to, family, 80);
        await(client::finishConnect);
        SocketChannel server = pods.accepted().get(0);
        server.configureBlocking(false);
        return new Ends(client, server);
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.call()) {
            assertThat(System.nanoTime() - start).isLessThan(LIMIT_NANOS);
            Thread.sleep(5);
        }
    }

    private static void send(SocketChannel from, String words) throws IOException {
        from.write(ByteBuffer.wrap(words.getBytes(StandardCharsets.UTF_8)));
    }

    private static void pass(SocketChannel from, SocketChannel to) throws Exception {
        send(from, "x");
        await(() -> to.read(ByteBuffer.allocate(1)) == 1);
    }

    private static long dropped(PolicyTables tables, IpFamily family, Direction direction) throws IOException {
        return tables.stats().stream()
                .filter(stats -> stats.family() == family)
                .map(stats -> stats.dropped().get(direction))
                .findFirst()
                .orElseThrow();
    }

    private int end(TestObjects objects) throws Exception {
        RefusedFlows refused = new RefusedFlows(
                objects.snapshot(),
                STRICT.name(),
                STRICT.relays(),
                pods.handle(Host.NODE).hostAddresses());
        return conntrack.delete(conntrack.findAmongAll(refused::refuse));
    }

    /** The endpoint sends first: to conntrack that is a new connection, which no policy forbids. */
    @ParameterizedTest
    @EnumSource(IpFamily.class)
    void whatAChangeForbidsEndsWhicheverEndSendsNext(IpFamily family) throws Exception {
        // Its table has the kernel track connections.
        TestObjects open =
                new RandomObjects(1).objects().policy("x/nobody", "{podSelector: {matchLabels: {no: 'one'}}}");
        PolicyTables tables = new PolicyTables(nft, Arrays.asList(IpFamily.values()), STRICT, true);
        tables.sync(open.snapshot(), PolicyChanges.NONE);
        Ends refused = connect(Host.YA, Host.XA, family);
        Ends allowed = connect(Host.YA, Host.YB, family);
        Ends probe = connect(Host.NODE, Host.XA, family);
        for (Ends each : List.of(refused, allowed, probe)) {
            pass(each.client, each.server);
        }
        TestObjects denied = open.policy("x/deny", "{podSelector: {}}");
        tables.sync(denied.snapshot(), DENY);
        for (Ends each : List.of(refused, allowed, probe)) {
            pass(each.client, each.server);
            pass(each.server, each.client);
        }

        assertThat(end(denied)).isEqualTo(1);
        send(refused.server, "from the endpoint");
        await(() -> dropped(tables, family, Direction.EGRESS) > 0);
        send(refused.client, "from the client");
        await(() -> dropped(tables, family, Direction.INGRESS) > 0);
        for (Ends each : List.of(allowed, probe)) {
            pass(each.client, each.server);
            pass(each.server, each.client);
        }
        assertThat(refused.client.read(ByteBuffer.allocate(1))).isZero();
        assertThat(refused.server.read(ByteBuffer.allocate(1))).isZero();
        assertThat(end(denied)).isZero();
        for (Ends each : List.of(refused, allowed, probe)) {
            each.client.close();
            each.server.close();
        }
    }
}
