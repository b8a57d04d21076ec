package dev.nodepath.policy.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.Problems;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelSelectorTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Map<String, String> LABELS = Map.of("app", "web", "empty", "");

    /** Two evaluators, one meaning. A selector that the policy cannot read matches nothing in the API server. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                                                     | true
            {"matchLabels": {"app": "web"}}                                                        | true
            {"matchLabels": {"app": "web", "tier": "front"}}                                       | false
            {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db", "web"]}]}      | true
            {"matchExpressions": [{"key": "app", "operator": "In", "values": ["db"]}]}             | false
            {"matchExpressions": [{"key": "tier", "operator": "In", "values": [""]}]}              | false
            {"matchExpressions": [{"key": "empty", "operator": "In", "values": [""]}]}             | true
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}          | true
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}         | false
            {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["web"]}]}        | true
            {"matchExpressions": [{"key": "empty", "operator": "Exists"}]}                         | true
            {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}                          | false
            {"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}                    | true
            {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}                     | false
            {"matchExpressions": [{"key": "app", "operator": "in", "values": ["web"]}]}            | false
            {"matchLabels": {"app": "web"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]} | false
            """)
    void choosesAsTheApiServerDoes(String selector, boolean chosen) throws Exception {
        JsonNode json = JSON.readTree("{\"podSelector\": " + selector + "}");
        Optional<LabelSelector> read = LabelSelector.read(Fields.of(json, new Problems()), "podSelector");
        assertThat(read.filter(each -> each.matches(LABELS)).isPresent()).isEqualTo(chosen);
        assertThat(SelectorMatch.matches(json.path("podSelector"), JSON.valueToTree(LABELS)))
                .isEqualTo(chosen);
    }
}
