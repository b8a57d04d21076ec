package dev.nodepath.emulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublishedEndpointsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ENDPOINT = "{'addresses':['10.244.1.2']}";

    private final ClusterApi api = new ClusterApi(new ObjectStore(1, 100), ObjectRules.NONE, InstantSource.system());
    private final PublishedEndpoints published = new PublishedEndpoints(api);

    @BeforeEach
    void publish() throws JsonProcessingException {
        create(Resources.NAMESPACES, "'name':'default'", "");
        service("web", "", "10.96.0.20");
        slice("web", "2026-01-01T00:00:01Z", ENDPOINT);
    }

    @Test
    void theNewestChangeIsThatOfTheLastSlice() throws JsonProcessingException {
        service("solo", "", "10.96.0.12");
        slice("solo", "2026-01-01T00:00:02Z", ENDPOINT);

        assertThat(published.lastTrigger()).contains(Instant.parse("2026-01-01T00:00:02Z"));
    }

    /** A proxy has nothing to program for them, so there is nothing to wait for. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            headless         |                                        | None       | {'addresses':['10.244.1.2']}
            of another proxy | 'service.kubernetes.io/service-proxy-name':'x' | 10.96.0.12 | {'addresses':['10.244.1.2']}
            without Pods     |                                        | 10.96.0.12 |
            """)
    void whatChangesNoRuleDoesNotCount(String which, String labels, String address, String endpoint)
            throws JsonProcessingException {
        service("other", labels == null ? "" : labels, address);
        slice("other", "2026-01-01T00:00:02Z", endpoint == null ? "" : endpoint);

        assertThat(published.lastTrigger()).as(which).contains(Instant.parse("2026-01-01T00:00:01Z"));
    }

    @Test
    void theLossOfTheLastEndpointCounts() throws JsonProcessingException {
        service("solo", "", "10.96.0.12");
        ObjectNode slice = slice("solo", "2026-01-01T00:00:02Z", ENDPOINT).deepCopy();
        slice.putArray("endpoints");
        api.update(Resources.ENDPOINT_SLICES, slice);

        assertThat(published.lastTrigger()).contains(Instant.parse("2026-01-01T00:00:02Z"));
    }

    private void service(String name, String labels, String address) throws JsonProcessingException {
        create(
                Resources.SERVICES,
                "'name':'" + name + "','namespace':'default','labels':{" + labels + "}",
                ",'spec':{'clusterIPs':['" + address + "'],'ports':[{'port':80}]}");
    }

    private ObjectNode slice(String service, String trigger, String endpoint) throws JsonProcessingException {
        return create(
                Resources.ENDPOINT_SLICES,
                "'name':'" + service + "-x','namespace':'default','labels':{'kubernetes.io/service-name':'" + service
                        + "'},'annotations':{'endpoints.kubernetes.io/last-change-trigger-time':'" + trigger + "'}",
                ",'addressType':'IPv4','endpoints':[" + endpoint + "]");
    }

    private ObjectNode create(Resource resource, String metadata, String rest) throws JsonProcessingException {
        String json = "{'metadata':{" + metadata + "}" + rest + "}";
        return api.create(resource, (ObjectNode) JSON.readTree(json.replace('\'', '"')));
    }
}
