package dev.nodepath.endpoints.source.kubernetes;

import static dev.nodepath.endpoints.source.kubernetes.TestApiServer.SERVICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.source.SourceException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A listener's calls about an API server apart from its objects. */
class ApiListenerTest extends KubernetesSourceFixture implements ApiListener {
    private final List<String> answers = new CopyOnWriteArrayList<>();
    private final List<ServerVersion> versions = new CopyOnWriteArrayList<>();

    @Override
    public void answered(String method, String host, String code, Duration duration) {
        answers.add(method + " " + host + " " + code);
    }

    @Override
    public void version(ServerVersion version) {
        versions.add(version);
    }

    private KubernetesSource telling() throws Exception {
        return new KubernetesSource(
                ApiServerAccess.master(server.url()).telling(this),
                "n1",
                KubernetesSource.Nodes.OWN,
                Optional.empty(),
                "",
                FAST,
                new Random(1),
                InstantSource.system());
    }

    private String host() {
        return server.url().substring("http://".length());
    }

    @Test
    void hearsHowEachRequestWasAnswered() throws Exception {
        cluster();
        server.fail(SERVICES, true, 1, 500, "", "");
        try (KubernetesSource source = telling()) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> answers.contains("GET " + host() + " 500"));
        }
        assertThat(answers).contains("GET " + host() + " 200");
    }

    @Test
    void hearsThatThereWasNoAnswer() throws Exception {
        server.stop();
        try (KubernetesSource source = telling()) {
            assertThatThrownBy(() -> source.start((snapshot, changed) -> snapshots.add(snapshot)))
                    .isInstanceOf(SourceException.class);
        }
        assertThat(answers).containsExactly("GET " + host() + " <error>");
    }

    @Test
    void hearsWhichVersionTheServerIs() throws Exception {
        cluster();
        try (KubernetesSource source = telling()) {
            source.start((snapshot, changed) -> snapshots.add(snapshot));
            await(() -> !versions.isEmpty());
            assertThat(versions.get(0).gitVersion()).startsWith("v1.36.");
            assertThat(versions.get(0).platform()).isEqualTo("linux/amd64");
        }
    }
}
