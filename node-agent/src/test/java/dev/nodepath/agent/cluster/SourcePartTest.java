package dev.nodepath.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.parts.Parts;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.NodeEvent;
import dev.nodepath.endpoints.source.kubernetes.TestApiServer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.time.WaitClock;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SourcePartTest {
    private static final String FORBIDDEN = """
            {"kind":"Status","status":"Failure","message":"services is forbidden","reason":"Forbidden","code":403}""";

    private final Notices notices = new Notices("n1", InstantSource.system());
    private final ClusterView cluster = new ClusterView("n1");

    @Test
    void anEventNamesTheRuleThatIsTakenAwayWhileItWatches() throws Exception {
        try (TestApiServer server = new TestApiServer();
                Parts parts = new Parts(WaitClock.SYSTEM, new Random(), (part, error, retryIn) -> {})) {
            server.put(TestApiServer.NODES, "{\"metadata\":{\"name\":\"n1\"}}");
            ApiServerAccess access = ApiServerAccess.master(server.url());
            parts.start(new SourcePart(
                    () -> new KubernetesSource(
                            access,
                            "n1",
                            KubernetesSource.Nodes.OWN,
                            Optional.empty(),
                            "",
                            TestApiServer.FAST,
                            new Random(),
                            InstantSource.system()),
                    cluster,
                    notices));
            Eventually.isTrue("the condition", () -> parts.isUp("source"));
            assertThat(notices.next()).isEmpty();

            server.fail(TestApiServer.SERVICES, true, 1000, 403, FORBIDDEN, "");
            server.endWatches();
            Eventually.isTrue("the condition", () -> notices.next().isPresent());

            Optional<NodeEvent> event = notices.next();
            assertThat(event.orElseThrow().reason()).isEqualTo("WatchForbidden");
            assertThat(event.orElseThrow().note())
                    .isEqualTo("source: GET " + server.url() + TestApiServer.SERVICES
                            + ": 403 Forbidden: services is forbidden (expected: the right to list and watch it,"
                            + " RBAC rule {apiGroups: [\"\"], resources: [services], verbs: [list, watch]})");
            assertThat(parts.isUp("source")).as("what was known is followed on").isTrue();
        }
    }
}
