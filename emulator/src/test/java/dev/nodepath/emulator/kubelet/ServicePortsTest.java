package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServicePortsTest {
    private static final String POD = "{'metadata': {'namespace': 'shop', 'labels': {'app': 'web', 'tier': 'a'}}}";

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            shop | {'app': 'web'}             | {'port': 80, 'targetPort': 8081}                    | 8081
            shop | {'app': 'web'}             | {'port': 80}                                        | 80
            shop | {'app': 'web'}             | {'port': 80}, {'port': 443, 'targetPort': 8443}     | 80 8443
            shop | {'app': 'web'}             | {'port': 80, 'targetPort': 'http'}                  | ``
            shop | {'app': 'web'}             | {'port': 53, 'protocol': 'UDP', 'targetPort': 53}   | ``
            shop | {'app': 'web', 'tier': 'b'} | {'port': 80}                                       | ``
            shop | {}                         | {'port': 80}                                        | ``
            else | {'app': 'web'}             | {'port': 80}                                        | ``
            """)
    void areThoseOfServicesThatSelectThePod(String namespace, String selector, String ports, String expected)
            throws Exception {
        ObjectNode service = json("{'metadata': {'namespace': '" + namespace + "'}, 'spec': {'selector': " + selector
                + ", 'ports': [" + ports + "]}}");
        assertThat(ServicePorts.of(List.of(service), json(POD)))
                .isEqualTo(Arrays.stream(expected.split(" "))
                        .filter(each -> !each.isEmpty())
                        .map(Integer::valueOf)
                        .collect(Collectors.toSet()));
    }

    private static ObjectNode json(String text) throws Exception {
        return (ObjectNode) new ObjectMapper().readTree(text.replace('\'', '"'));
    }
}
