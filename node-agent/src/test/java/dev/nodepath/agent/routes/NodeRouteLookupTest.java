package dev.nodepath.agent.routes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NodeRouteLookupTest {
    private static final IpAddress NODE = IpAddress.parse("172.30.0.12");

    private final AtomicLong now = new AtomicLong();
    private final RouteFixture node = new RouteFixture();
    private final CountingNamespace host = new CountingNamespace(node.host);
    private final NodeRouteLookup ways = new NodeRouteLookup(host.namespace(), now::get);

    NodeRouteLookupTest() throws LinuxNetException {}

    private Map<IpAddress, Route> ask() throws LinuxNetException {
        return ways.towards(Set.of(NODE), node.host.addresses(), node.host.listedRoutes());
    }

    @Test
    void asksAgainWhenAnAnswerIsOld() throws Exception {
        assertThat(ask()).containsOnlyKeys(NODE);
        now.addAndGet(NodeRouteLookup.AGE_MAX.toNanos() - 1);
        ask();
        assertThat(host.takeCalls("routeTo")).isEqualTo(1);
        now.addAndGet(1);
        assertThat(ask()).containsOnlyKeys(NODE);
        assertThat(host.takeCalls("routeTo")).isEqualTo(1);
    }

    @Test
    void asksNothingWhenOurOwnRoutesChange() throws Exception {
        ask();
        node.node("n2", "172.30.0.12", "10.244.2.0/24").sync(Overlay.AUTO);
        ask();
        assertThat(node.routes()).hasSize(1);
        assertThat(host.takeCalls("routeTo")).isEqualTo(1);
    }

    @Test
    void takesTheNewAnswerWhenAnAddressGoes() throws Exception {
        assertThat(ask().get(NODE)).extracting(Route::linkIndex).isEqualTo(node.uplink.index());
        node.host.deleteLink(node.uplink.index());
        assertThat(ask()).isEmpty();
    }
}
