package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.syscall.Errno;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The thread around the syncs, on the fake kernel. */
class PodRoutesTest {
    @Test
    void bringsBackWhatSomebodyRemoves() throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.30.0.12", "10.244.2.0/24");
        node.node("n3", "172.31.0.13", "10.244.3.0/24");
        try (PodRoutes routes = PodRoutes.start(node.host, RouteFixture.settings(Overlay.AUTO))) {
            assertThat(routes.status().ready()).isFalse();
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().standing() == 2);
            assertThat(routes.status().ready()).isTrue();
            assertThat(routes.status().message()).isEqualTo("2 of 2 podCIDRs of other nodes have their route");
            node.host.deleteRoute(node.via("10.244.2.0/24", "172.30.0.12", node.uplink.index()));
            Eventually.isTrue("the condition", () -> node.routes().size() == 2);
            node.host.deleteLink(node.overlay().index());
            Eventually.isTrue(
                    "the condition",
                    () -> node.host.link(OverlayLink.NAME).isPresent()
                            && node.routes().size() == 2);
            Eventually.isTrue("the condition", () -> node.forwardings().size() == 1);
            node.host
                    .neighbourTables()
                    .deleteForwarding(node.host
                            .neighbourTables()
                            .forwardings(node.overlay().index())
                            .get(0));
            Eventually.isTrue("the condition", () -> node.forwardings().size() == 1);
        }
        assertThat(node.routes()).hasSize(2);
    }

    @Test
    void bringsBackMasqueradingThatSomebodyRemoves() throws Exception {
        RouteFixture node = new RouteFixture();
        try (PodRoutes routes = PodRoutes.start(node.host, RouteFixture.settings(Overlay.AUTO))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().ready());
            String rules = node.kernel.nftState();
            assertThat(rules).contains("outside from 10.244.1.0/24");
            node.host.nftApply(List.of(new NftChange.FlushChain(PodMasquerade.CHAIN)));
            Eventually.isTrue("the condition", () -> node.kernel.nftState().equals(rules));
            node.host.nftApply(List.of(new NftChange.DeleteTable(PodMasquerade.CHAIN.table())));
            Eventually.isTrue("the condition", () -> node.kernel.nftState().equals(rules));
        }
    }

    /** An Error too: its thread would end unnoticed. */
    static List<Throwable> unexpected() {
        return List.of(new IllegalStateException("broken on purpose"), new NoClassDefFoundError("gone on purpose"));
    }

    @ParameterizedTest
    @MethodSource("unexpected")
    void watchesAgainAfterAnUnexpectedFailure(Throwable failure) throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.30.0.12", "10.244.2.0/24");
        try (PodRoutes routes =
                PodRoutes.start(failsOnce("watch", node.host, failure), RouteFixture.settings(Overlay.AUTO))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().standing() == 1);
            String rules = node.kernel.nftState();
            node.host.deleteRoute(node.via("10.244.2.0/24", "172.30.0.12", node.uplink.index()));
            Eventually.isTrue("the condition", () -> node.routes().size() == 1);
            node.host.nftApply(List.of(new NftChange.FlushChain(PodMasquerade.CHAIN)));
            Eventually.isTrue("the condition", () -> node.kernel.nftState().equals(rules));
        }
    }

    @ParameterizedTest
    @MethodSource("unexpected")
    void syncsAgainAfterAnUnexpectedFailure(Throwable failure) throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.30.0.12", "10.244.2.0/24");
        try (PodRoutes routes =
                PodRoutes.start(failsOnce("addresses", node.host, failure), RouteFixture.settings(Overlay.AUTO))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().standing() == 1);
            assertThat(routes.status().failures()).isEqualTo(1);
        }
    }

    private static NetworkNamespace failsOnce(String call, NetworkNamespace host, Throwable failure) {
        AtomicBoolean failed = new AtomicBoolean();
        return (NetworkNamespace) Proxy.newProxyInstance(
                PodRoutesTest.class.getClassLoader(),
                new Class<?>[] {NetworkNamespace.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(call) && !failed.getAndSet(true)) {
                        throw failure;
                    }
                    try {
                        return method.invoke(host, arguments);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    @Test
    void losingItsOwnNodeChangesNothing() throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.30.0.12", "10.244.2.0/24");
        try (PodRoutes routes = PodRoutes.start(node.host, RouteFixture.settings(Overlay.AUTO))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().standing() == 1);
            node.nodes.clear();
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> !routes.status().ready());
            assertThat(routes.status().message()).isEqualTo("Node n1 is not among the 0 Nodes");
            assertThat(node.routes()).hasSize(1);
        }
    }

    @Test
    void triesAgainAfterAFailure() throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.30.0.12", "10.244.2.0/24");
        node.kernel.failNext("addRouteIfAbsent", Errno.ENOBUFS);
        try (PodRoutes routes = PodRoutes.start(node.host, RouteFixture.settings(Overlay.AUTO))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().failures() == 1);
            Eventually.isTrue("the condition", () -> routes.status().ready());
            assertThat(node.routes()).hasSize(1);
        }
    }

    @Test
    void isNotReadyWithoutAnyRoute() throws Exception {
        RouteFixture node = new RouteFixture().node("n2", "172.31.0.12", "10.244.2.0/24");
        try (PodRoutes routes = PodRoutes.start(node.host, RouteFixture.settings(Overlay.NONE))) {
            routes.update(node.nodes);
            Eventually.isTrue("the condition", () -> routes.status().wanted() == 1);
            assertThat(routes.status().ready()).isFalse();
            assertThat(routes.status().problems()).hasSize(1);
            // A route that a person adds by hand is noticed.
            node.host.addAddress(node.uplink.index(), Cidr.parse("172.31.0.11/24"));
            Eventually.isTrue("the condition", () -> routes.status().ready());
        }
    }
}
