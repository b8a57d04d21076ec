package dev.nodepath.controllers.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.TestObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ZoneHintsTest {
    /** Words such as {@code a=4}: a Node in zone a with 4 processors. */
    private static List<ObjectNode> nodes(String words) {
        List<ObjectNode> nodes = new ArrayList<>();
        for (String word : words.split(" ", -1)) {
            String[] parts = word.split("=", -1);
            nodes.add(TestObjects.json("{'metadata': {'labels': "
                    + (parts[0].isEmpty() ? "{}" : "{'topology.kubernetes.io/zone': '" + parts[0] + "'}")
                    + "}, 'status': {'conditions': [{'type': 'Ready', 'status': 'True'}], 'allocatable': {'cpu': '"
                    + parts[1] + "'}}}"));
        }
        return nodes;
    }

    /** One ready endpoint for each letter, in the zone of that name; a dot has none. */
    private static List<ObjectNode> endpoints(String zones) {
        List<ObjectNode> endpoints = new ArrayList<>();
        zones.chars().forEach(zone -> {
            ObjectNode endpoint = TestObjects.json("{'conditions': {'ready': true}}");
            if (zone != '.') {
                endpoint.put("zone", Character.toString(zone));
            }
            endpoints.add(endpoint);
        });
        return endpoints;
    }

    /** The zones that the endpoints are for, in the order of the endpoints. */
    private static String hints(List<ObjectNode> endpoints) {
        StringBuilder hints = new StringBuilder();
        endpoints.forEach(each -> hints.append(each.at("/hints/forZones/0/name").asText("-")));
        return hints.toString();
    }

    private static long count(String hints, String zone) {
        return hints.chars().filter(each -> each == zone.charAt(0)).count();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a=2 b=2     | aabb     | 2 2 0
            a=2 b=2     | aaab     | 2 2 0
            a=2 b=2     | aaaa     | 2 2 0
            a=2 b=2     | aaaaabb  | 4 3 0
            a=2 b=2     | aaaaaaaabbbb | 7 5 0
            a=4 b=4 c=4 | abcabc   | 2 2 2
            a=4 b=4 c=4 | aaaaaa   | 2 2 2
            a=1000m b=3 | aaaabbbb | 3 5 0
            a=6 b=2     | aaaaaaab | 6 2 0
            a=2 a=2 b=4 | bbbb     | 2 2 0
            a=2 b=2     | aaczbb   | 3 3 0
            """)
    void eachZoneGetsItsShare(String nodes, String zones, String counts) {
        List<ObjectNode> endpoints = endpoints(zones);
        assertThat(ZoneHints.of(nodes(nodes)).give(endpoints)).isEmpty();
        String hints = hints(endpoints);
        assertThat(count(hints, "a") + " " + count(hints, "b") + " " + count(hints, "c"))
                .isEqualTo(counts);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            a=2 b=2 | a   | Insufficient number of endpoints (1), impossible to safely allocate proportionally
            a=2     | aaa | Nodes only ready in one zone
            a=2 =2  | aab | Insufficient Node information: allocatable CPU or zone not specified on one or more nodes
            a=2 b=0 | aab | Insufficient Node information: allocatable CPU or zone not specified on one or more nodes
            a=2 b=2 | aa. | One or more endpoints do not have a zone specified
            a=9 b=1 | aab | Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (3 endpoints, 2 zones)
            """)
    void saysWhyThereAreNone(String nodes, String zones, String problem) {
        List<ObjectNode> endpoints = endpoints(zones);
        assertThat(ZoneHints.of(nodes(nodes)).give(endpoints)).contains(problem);
        assertThat(hints(endpoints)).matches("-*");
    }

    @Test
    void whoIsNotReadyHasNone() {
        List<ObjectNode> endpoints = endpoints("aaabb");
        endpoints.get(0).withObjectProperty("conditions").put("ready", false);
        assertThat(ZoneHints.of(nodes("a=2 b=2")).give(endpoints)).isEmpty();
        assertThat(hints(endpoints)).isEqualTo("-aabb");
    }

    @Test
    void nodesOfTheControlPlaneAndUnreadyOnesDoNotCount() {
        List<ObjectNode> nodes = nodes("a=2 b=2 c=2 =2");
        nodes.get(2).withObjectProperty("status").putArray("conditions");
        nodes.get(3)
                .withObjectProperty("metadata")
                .withObjectProperty("labels")
                .put("node-role.kubernetes.io/control-plane", "");
        List<ObjectNode> endpoints = endpoints("cc");
        assertThat(ZoneHints.of(nodes).give(endpoints)).isEmpty();
        assertThat(hints(endpoints)).isIn("ab", "ba");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noZoneCarriesMoreThanAFifthTooMuch(long seed) {
        Random random = new Random(seed);
        int given = 0;
        for (int round = 0; round < 500; round++) {
            Map<String, Integer> processors = new TreeMap<>();
            int zones = 2 + random.nextInt(3);
            for (int i = 0; i < zones; i++) {
                processors.put(String.valueOf((char) ('a' + i)), 1 + random.nextInt(8));
            }
            StringBuilder places = new StringBuilder();
            int count = random.nextInt(30);
            for (int i = 0; i < count; i++) {
                places.append((char) ('a' + random.nextInt(6)));
            }
            String words = processors.toString().replaceAll("[{},]", "");
            List<ObjectNode> endpoints = endpoints(places.toString());
            if (ZoneHints.of(nodes(words)).give(endpoints).isEmpty()) {
                given++;
                String hints = hints(endpoints);
                int sum =
                        processors.values().stream().mapToInt(Integer::intValue).sum();
                processors.forEach((zone, own) -> assertThat((double) count(hints, zone))
                        .as("%s of %s for %s: %s", zone, places, words, hints)
                        .isGreaterThanOrEqualTo(Math.ceil(count * (double) own / sum / 1.2)));
                assertThat(hints).matches("[" + String.join("", processors.keySet()) + "]{" + count + "}");
            }
        }
        assertThat(given).isGreaterThan(100);
    }
}
