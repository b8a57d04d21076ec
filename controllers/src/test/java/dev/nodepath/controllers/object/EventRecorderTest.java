package dev.nodepath.controllers.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.TestCluster;
import dev.nodepath.controllers.TestObjects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventRecorderTest {
    private final TestCluster cluster = new TestCluster();

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void twoWriteAboutOneObjectInTheSameMoment() {
        ObjectNode pod = TestObjects.object(Resources.PODS, "default", "a");
        for (String component : new String[] {"one", "two"}) {
            new EventRecorder(cluster.api(), cluster.clock(), component, "").normal(pod, "Reason", "of " + component);
        }
        assertThat(cluster.events("a")).containsExactlyInAnyOrder("Reason: of one", "Reason: of two");
    }
}
