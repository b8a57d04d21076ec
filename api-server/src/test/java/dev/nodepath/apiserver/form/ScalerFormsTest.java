package dev.nodepath.apiserver.form;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.request.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class ScalerFormsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {targetCPUUtilizationPercentage: 50} | cpu: <unknown>/50%
            {metrics: [{type: Resource, resource: {name: memory, target: {averageValue: 1Gi}}}]} | memory: <unknown>/1Gi
            {metrics: [{type: Pods, pods: {metric: {name: rate}, target: {averageValue: 9}}}]} | <unknown>/9
            {metrics: [{type: Object, object: {target: {value: 9}}}]} | <unknown>/9
            {metrics: [{type: External, external: {target: {averageValue: 9}}}]} | <unknown>/9 (avg)
            {metrics: [{type: Pods}, {type: Pods}, {type: Object}, {type: Object}]} | <unknown>/<auto>, <unknown>/<auto> + 2 more...
            {} | <none>
            """)
    void namesWhatAnAutoscalerAimsAt(String spec, String targets) {
        JsonNode object =
                Json.MAPPER.valueToTree(new Load(LoadSettings.builder().build()).loadFromString("spec: " + spec));
        assertThat(ScalerForms.targets(object)).isEqualTo(targets);
    }
}
