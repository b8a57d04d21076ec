package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.schema.ObjectDecoder.Decoded;
import java.io.UncheckedIOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ObjectDecoderTest {
    private static final String JSON_ERROR = "json: cannot unmarshal ";

    static Stream<Arguments> mistakes() {
        return Stream.of(
                row(
                        Resources.SERVICES,
                        "{'spec': {'ports': [{'port': 'web'}]}}",
                        JSON_ERROR + "string into Go struct field ServicePort.spec.ports.port of type int32"),
                row(
                        Resources.SERVICES,
                        "{'spec': {'ports': [{'port': 80, 'protocol': 1}]}}",
                        JSON_ERROR + "number into Go struct field ServicePort.spec.ports.protocol of type v1.Protocol"),
                row(
                        Resources.SERVICES,
                        "{'spec': {'ports': {'port': 80}}}",
                        JSON_ERROR + "object into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort"),
                row(
                        Resources.SERVICES,
                        "{'spec': {'ports': ['http']}}",
                        JSON_ERROR + "string into Go struct field ServiceSpec.spec.ports of type v1.ServicePort"),
                row(
                        Resources.SERVICES,
                        "{'spec': {'ports': [{'targetPort': true}]}}",
                        JSON_ERROR + "bool into Go value of type int32"),
                row(
                        Resources.DEPLOYMENTS,
                        "{'spec': {'replicas': '3'}}",
                        JSON_ERROR + "string into Go struct field DeploymentSpec.spec.replicas of type int32"),
                row(
                        Resources.DEPLOYMENTS,
                        "{'spec': {'replicas': 70000000000}}",
                        JSON_ERROR
                                + "number 70000000000 into Go struct field DeploymentSpec.spec.replicas of type int32"),
                row(
                        Resources.DEPLOYMENTS,
                        "{'spec': {'replicas': 1.5}}",
                        JSON_ERROR + "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32"),
                row(
                        Resources.DEPLOYMENTS,
                        "{'spec': 'x'}",
                        JSON_ERROR + "string into Go struct field Deployment.spec of type v1.DeploymentSpec"),
                row(
                        Resources.DEPLOYMENTS,
                        "{'spec': {'template': {'spec': {'containers': [{'env': [{'name': 'A', 'value': 1}]}]}}}}",
                        JSON_ERROR
                                + "number into Go struct field EnvVar.spec.template.spec.containers.env.value of type"
                                + " string"),
                row(
                        Resources.PODS,
                        "{'metadata': {'labels': {'a': 1}}}",
                        JSON_ERROR + "number into Go struct field ObjectMeta.metadata.labels of type string"),
                row(
                        Resources.PODS,
                        "{'spec': {'containers': [{'command': 'sleep'}]}}",
                        JSON_ERROR + "string into Go struct field Container.spec.containers.command of type []string"),
                row(
                        Resources.PODS,
                        "{'spec': {'hostNetwork': 'yes'}}",
                        JSON_ERROR + "string into Go struct field PodSpec.spec.hostNetwork of type bool"),
                row(
                        Resources.PODS,
                        "{'spec': {'containers': [{'resources': {'limits': {'cpu': 'many'}}}]}}",
                        "quantities must match the regular expression"
                                + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
                row(
                        Resources.PODS,
                        "{'metadata': {'creationTimestamp': 'now'}}",
                        "parsing time \"now\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"now\" as \"2006\""),
                row(Resources.SECRETS, "{'data': {'a': 'b!'}}", "illegal base64 data at input byte 1"));
    }

    private static Arguments row(Resource resource, String object, String expected) {
        return Arguments.of(resource, object, expected);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("mistakes")
    void refusesValuesOfAnotherType(Resource resource, String object, String expected) {
        assertThatThrownBy(() -> read(resource, object))
                .isInstanceOf(StatusException.class)
                .hasMessage(resource.kind() + " in version \"v1\" cannot be handled as a " + resource.kind() + ": "
                        + expected);
    }

    @Test
    void namesFieldsThatThereAreNot() {
        Decoded decoded = read(
                Resources.DEPLOYMENTS,
                "{'spec': {'contaners': 1, 'replicas': 2, 'template': {'spec': {'containers': ["
                        + "{'name': 'a'}, {'name': 'b', 'imag': 'x'}]}}}}");
        assertThat(decoded.unknown())
                .containsExactly(
                        "unknown field \"spec.contaners\"", "unknown field \"spec.template.spec.containers[1].imag\"");
        assertThat(decoded.object().toString())
                .isEqualTo("{\"spec\":{\"replicas\":2,\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\"},"
                        + "{\"name\":\"b\"}]}}}}");
    }

    @Test
    void namesFieldsThatAppearTwice() {
        String body = "{'a': {'b': 1, 'b': [{'c': 1, 'c': 2}], 'd': {'b': 1}}, 'a': 2}";
        assertThat(DuplicateFields.in(body.replace('\'', '"').getBytes(UTF_8)))
                .containsExactly("duplicate field \"a.b\"", "duplicate field \"a.b[0].c\"", "duplicate field \"a\"");
        assertThat(DuplicateFields.in("{".getBytes(UTF_8))).isEmpty();
    }

    @Test
    void dropsNullsAndEmptyOptions() {
        assertThat(read(
                                Resources.PODS,
                                "{'metadata': {'creationTimestamp': null, 'labels': {}}, 'spec': {'volumes': [{'emptyDir': {}}],"
                                        + " 'containers': [], 'tolerations': [], 'nodeSelector': {'a': null}}}")
                        .object()
                        .toString())
                .isEqualTo("{\"metadata\":{},\"spec\":{\"volumes\":[{\"emptyDir\":{}}],\"containers\":[],"
                        + "\"nodeSelector\":{\"a\":\"\"}}}");
    }

    private static Decoded read(Resource resource, String object) {
        try {
            return ObjectDecoder.decode(resource, (ObjectNode) new ObjectMapper().readTree(object.replace('\'', '"')));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
