package dev.nodepath.apiserver.form;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Cells of Endpoints and EndpointSlices: the first three entries, and how many more there are. */
final class EndpointColumns {
    private static final int SHOWN = 3;

    private EndpointColumns() {}

    static String subsets(JsonNode endpoints) {
        List<String> all = new ArrayList<>();
        for (JsonNode subset : endpoints.path("subsets")) {
            for (JsonNode address : subset.path("addresses")) {
                String ip = address.path("ip").asText();
                if (subset.path("ports").isEmpty()) {
                    all.add(ip);
                }
                for (JsonNode port : subset.path("ports")) {
                    all.add((ip.contains(":") ? "[" + ip + "]" : ip) + ":"
                            + port.path("port").asText());
                }
            }
        }
        return all.isEmpty() ? "<none>" : some(all);
    }

    static String ports(JsonNode slice) {
        List<String> all = new ArrayList<>();
        for (JsonNode port : slice.path("ports")) {
            all.add(port.path("port").asText("*"));
        }
        return all.isEmpty() ? "<unset>" : some(all);
    }

    static String addresses(JsonNode slice) {
        Set<String> all = new LinkedHashSet<>();
        for (JsonNode endpoint : slice.path("endpoints")) {
            endpoint.path("addresses").forEach(address -> all.add(address.asText()));
        }
        return all.isEmpty() ? "<unset>" : some(List.copyOf(all));
    }

    private static String some(List<String> all) {
        return all.size() <= SHOWN
                ? String.join(",", all)
                : String.join(",", all.subList(0, SHOWN)) + " + " + (all.size() - SHOWN) + " more...";
    }
}
