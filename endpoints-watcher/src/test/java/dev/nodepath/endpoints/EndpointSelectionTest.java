package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Endpoints in words: an address's last number, then {@code here} or {@code there} (the node), {@code ready}, {@code
 * draining} (terminating and serving), {@code serving} (and nothing else), {@code dead} or {@code unready},
 * {@code zone=} and {@code node=} for hints.
 */
class EndpointSelectionTest {
    private static final String NODE = "n1";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no endpoints                                  | zone-a |                                                                                | -       | none
            all hinted                                    | zone-a | 3 ready zone=zone-a; 4 ready zone=zone-b; 5 ready zone=zone-c; 6 ready zone=zone-a | 3 6     | anywhere
            one without a hint                            | zone-a | 3 ready zone=zone-a; 4 ready; 5 ready zone=zone-c                               | 3 4 5   | anywhere
            one with an empty hint                        | zone-a | 3 ready zone=zone-a; 4 ready zone=; 5 ready zone=zone-b                         | 3 4 5   | anywhere
            none hinted for this zone                     | zone-b | 3 ready zone=zone-a; 4 ready zone=zone-a                                        | 3 4     | anywhere
            node without a zone                           | ''     | 3 ready zone=zone-a; 4 ready zone=zone-b                                        | 3 4     | anywhere
            several zones in a hint                       | zone-c | 3 ready zone=zone-a+zone-c; 4 ready zone=zone-b                                 | 3       | anywhere
            unready ones are not filtered in              | zone-a | 3 unready zone=zone-a; 4 ready zone=zone-b; 5 ready zone=zone-a                 | 5       | anywhere
            an unready one needs no hint                  | zone-a | 3 unready; 4 ready zone=zone-b; 5 ready zone=zone-a                             | 5       | anywhere
            only an unready one hinted for this zone      | zone-a | 3 unready zone=zone-a; 4 ready zone=zone-b                                      | 4       | anywhere
            nodes before zones                            | zone-a | 3 ready zone=zone-a node=n2; 4 ready zone=zone-a node=n1                        | 4       | anywhere
            none hinted for this node, so the zone        | zone-a | 3 ready zone=zone-a node=n2; 4 ready zone=zone-b node=n3                        | 3       | anywhere
            one without a node hint, so the zone          | zone-a | 3 ready zone=zone-a; 4 ready zone=zone-b node=n1                                | 3       | anywhere
            node hints alone                              | zone-a | 3 ready node=n1; 4 ready node=n2                                                | 3       | anywhere
            node hints alone for others                   | zone-a | 3 ready node=n3; 4 ready node=n2                                                | 3 4     | anywhere
            draining only                                 | zone-a | 3 draining; 4 draining; 5 dead                                                  | 3 4     | anywhere
            draining ones do not heed hints               | zone-a | 3 draining zone=zone-a; 4 draining zone=zone-b                                  | 3 4     | anywhere
            draining ones are not mixed with ready ones   | zone-a | 3 draining; 4 ready                                                             | 4       | anywhere
            dead and unready only                         | zone-a | 3 dead; 4 unready                                                               | -       | none
            serving, but neither ready nor terminating    | zone-a | 3 serving; 4 unready | - | none
            """)
    void choosesAmongTheWholeCluster(String name, String zone, String endpoints, String cluster, String anywhere) {
        SelectedEndpoints selected = select(Snapshots.service("ns/svc", "10.96.0.1", 80), endpoints, zone);
        assertThat(numbers(selected.cluster())).isEqualTo(cluster);
        assertThat(selected.local()).isEmpty();
        assertThat(selected.reachable()).isEqualTo(selected.cluster());
        assertThat(selected.anywhere()).isEqualTo(anywhere.equals("anywhere"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            both sides ready                      | 3 here ready; 4 there ready; 5 here ready            | 3 5 | anywhere
            none here                             | 3 there ready; 4 there ready                         | -   | anywhere
            a node that is unknown is not here    | 3 ready                                              | -   | anywhere
            draining here, ready there            | 3 here draining; 4 there ready                       | 3   | anywhere
            draining there only                   | 3 here dead; 4 there draining                        | -   | anywhere
            hints do not count                    | 3 here ready zone=zone-b; 4 there ready zone=zone-a  | 3   | anywhere
            nothing usable                        | 3 here dead; 4 there unready                         | -   | none
            nothing                               |                                                      | -   | none
            """)
    void keepsInternalTrafficOnTheNode(String name, String endpoints, String local, String anywhere) {
        Snapshots service = Snapshots.service("ns/svc", "10.96.0.1", 80).internalTrafficLocal();
        SelectedEndpoints selected = select(service, endpoints, "zone-a");
        assertThat(numbers(selected.local())).isEqualTo(local);
        assertThat(selected.cluster()).isEmpty();
        assertThat(selected.reachable()).isEqualTo(selected.local());
        assertThat(selected.anywhere()).isEqualTo(anywhere.equals("anywhere"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            H9 a: ready here and there      | 1 here ready; 2 here ready; 3 here draining; 4 here dead; 5 there ready       | 1 2 5 | 1 2 | 1 2 5   | anywhere
            H9 b: draining here             | 2 here draining; 3 here draining; 4 here dead; 5 there ready                  | 5     | 2 3 | 2 3 5   | anywhere
            H9 c: draining there only       | 2 here dead; 5 there draining                                                 | 5     | -   | 5       | anywhere
            H9 d: none serving              | 1 here dead; 5 there dead                                                     | -     | -   | -       | none
            zone hints narrow the cluster   | 3 here ready zone=zone-b; 4 there ready zone=zone-a; 5 here ready zone=zone-b | 4     | 3 5 | 3 4 5   | anywhere
            """)
    void keepsExternalTrafficOnTheNode(
            String name, String endpoints, String cluster, String local, String reachable, String anywhere) {
        Snapshots service = Snapshots.service("ns/svc", "10.96.0.1", 80)
                .loadBalancerIps("1.2.3.4")
                .externalTrafficLocal();
        SelectedEndpoints selected = select(service, endpoints, "zone-a");
        assertThat(numbers(selected.cluster())).isEqualTo(cluster);
        assertThat(numbers(selected.local())).isEqualTo(local);
        assertThat(numbers(selected.reachable())).isEqualTo(reachable);
        assertThat(selected.anywhere()).isEqualTo(anywhere.equals("anywhere"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            H10 a: ready and draining       | 1 here ready; 2 here ready; 3 there draining; 4 here dead; 5 there ready | 1 2 5
            H10 b: all draining             | 2 here draining; 3 here draining; 4 here dead; 5 there draining          | 2 3 5
            H10 c: draining there only      | 2 here dead; 5 there draining                                            | 5
            H10 d: none serving             | 1 here dead; 5 there dead                                                | -
            """)
    void spreadsExternalTrafficOverTheCluster(String name, String endpoints, String cluster) {
        Snapshots service = Snapshots.service("ns/svc", "10.96.0.1", 80).loadBalancerIps("1.2.3.4");
        SelectedEndpoints selected = select(service, endpoints, "zone-a");
        assertThat(numbers(selected.cluster())).isEqualTo(cluster);
        assertThat(selected.local()).isEmpty();
        assertThat(selected.anywhere()).isEqualTo(!cluster.equals("-"));
    }

    @Test
    void anExternalPolicyNeedsAWayInFromOutside() {
        Snapshots clusterIp = Snapshots.service("ns/svc", "10.96.0.1", 80).externalTrafficLocal();
        SelectedEndpoints selected = select(clusterIp, "3 here ready; 4 there ready", "");
        assertThat(numbers(selected.cluster())).isEqualTo("3 4");
        assertThat(selected.local()).isEmpty();
    }

    @Test
    void aServiceOfBothPoliciesUsesTheClusterForItsOwnNodesExternalTraffic() {
        Snapshots both = Snapshots.service("ns/svc", "10.96.0.1", 80)
                .nodePort(30080)
                .internalTrafficLocal()
                .externalTrafficLocal();
        SelectedEndpoints selected = select(both, "3 here ready; 4 there ready", "");
        assertThat(numbers(selected.cluster())).isEqualTo("3 4");
        assertThat(numbers(selected.local())).isEqualTo("3");
        assertThat(numbers(selected.reachable())).isEqualTo("3 4");
    }

    @Test
    void findsTheZoneOfTheNodeInTheSnapshotAndKeepsFamiliesApart() {
        ServiceSnapshot snapshot = Snapshots.service("ns/svc", "10.96.0.1,fd00::1", 80)
                .hintedEndpoint("10.0.0.1:80", "n1", "zone-a", "")
                .hintedEndpoint("10.0.0.2:80", "n2", "zone-b", "")
                .hintedEndpoint("[fd00::2]:80", "n2", "zone-b", "")
                .node(NODE, "zone-a", "172.30.0.1", "10.0.0.0/24")
                .build();
        ServicePort service = snapshot.services().values().iterator().next();
        assertThat(EndpointSelection.select(snapshot, service, IpFamily.IPV4, NODE)
                        .cluster())
                .extracting(Endpoint::hostAndPort)
                .containsExactly("10.0.0.1:80");
        assertThat(EndpointSelection.select(snapshot, service, IpFamily.IPV4, "other")
                        .cluster())
                .hasSize(2);
        assertThat(EndpointSelection.select(snapshot, service, IpFamily.IPV6, NODE)
                        .cluster())
                .extracting(Endpoint::hostAndPort)
                .containsExactly("[fd00::2]:80");
    }

    private static SelectedEndpoints select(Snapshots snapshot, String endpoints, String zone) {
        ServicePort service = snapshot.build().services().values().iterator().next();
        List<Endpoint> list = new ArrayList<>();
        for (String words : endpoints == null ? new String[0] : endpoints.split("; ", -1)) {
            list.add(endpoint(words));
        }
        return EndpointSelection.select(service, list, IpFamily.IPV4, NODE, zone);
    }

    private static Endpoint endpoint(String words) {
        List<String> all = List.of(words.split(" ", -1));
        boolean draining = all.contains("draining");
        boolean ready = all.contains("ready");
        return new Endpoint(
                IpAddress.parse("10.0.0." + all.get(0)),
                8080,
                all.contains("here") ? NODE : all.contains("there") ? "n2" : "",
                ready,
                ready || draining || all.contains("serving"),
                draining || all.contains("dead"),
                TopologyHints.of(hints(all, "zone="), hints(all, "node=")));
    }

    private static List<String> hints(List<String> words, String prefix) {
        return words.stream()
                .filter(word -> word.startsWith(prefix) && word.length() > prefix.length())
                .flatMap(word -> List.of(word.substring(prefix.length()).split("\\+", -1)).stream())
                .toList();
    }

    private static String numbers(List<Endpoint> endpoints) {
        return endpoints.isEmpty()
                ? "-"
                : String.join(
                        " ",
                        endpoints.stream()
                                .map(endpoint -> endpoint.address().toString().replace("10.0.0.", ""))
                                .toList());
    }
}
