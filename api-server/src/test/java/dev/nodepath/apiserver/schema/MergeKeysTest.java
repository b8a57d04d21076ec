package dev.nodepath.apiserver.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class MergeKeysTest {
    static Stream<Arguments> fields() {
        return Stream.of(
                field(Resources.PODS, "spec.containers", "merge by name; MAP [name]"),
                field(Resources.PODS, "spec.containers.ports", "merge by containerPort; MAP [containerPort, protocol]"),
                field(Resources.PODS, "spec.containers.env", "merge by name; MAP [name]"),
                field(Resources.PODS, "spec.containers.command", "replace; DEFAULT []"),
                field(Resources.PODS, "spec.volumes", "merge by name, retain keys; MAP [name]"),
                field(Resources.PODS, "spec.tolerations", "replace; DEFAULT []"),
                field(Resources.PODS, "metadata.finalizers", "merge; SET []"),
                field(Resources.PODS, "metadata.ownerReferences", "merge by uid; MAP [uid]"),
                field(Resources.SERVICES, "spec.ports", "merge by port; MAP [port, protocol]"),
                field(Resources.SERVICES, "spec.selector", "replace; ATOMIC []"),
                field(Resources.DEPLOYMENTS, "spec.strategy", "replace, retain keys; DEFAULT []"),
                field(Resources.DEPLOYMENTS, "spec.selector", "replace; ATOMIC []"),
                field(Resources.DEPLOYMENTS, "spec.template.spec.containers", "merge by name; MAP [name]"),
                field(Resources.ENDPOINT_SLICES, "endpoints.addresses", "replace; SET []"),
                field(Resources.PODS, "spec.nothing", "replace; DEFAULT []"));
    }

    private static Arguments field(Resource resource, String path, String expected) {
        return Arguments.of(resource, path, expected);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("fields")
    void knowsHowPatchesMerge(Resource resource, String path, String expected) {
        List<String> fields = List.of(path.split("\\."));
        String type = MergeKeys.root(resource);
        for (String field : fields.subList(0, fields.size() - 1)) {
            type = MergeKeys.child(type, field).orElse("");
        }
        Traits traits = MergeKeys.of(type, fields.get(fields.size() - 1));
        assertThat((traits.merged() ? "merge" : "replace")
                        + (traits.mergeKey().isEmpty() ? "" : " by " + traits.mergeKey())
                        + (traits.retainKeys() ? ", retain keys" : "")
                        + "; "
                        + traits.ownership()
                        + " "
                        + traits.listKeys())
                .isEqualTo(expected);
    }

    @Test
    void everyKindHasAType() {
        assertThat(Resources.all())
                .allSatisfy(each -> assertThat(Schema.kubernetes().of(each).fields())
                        .containsKeys("apiVersion", "kind", "metadata"));
    }

    @Test
    void everyKeyIsAFieldOfTheItems() {
        for (StructType type : Schema.kubernetes().types()) {
            type.traits()
                    .forEach((field, traits) -> MergeKeys.child(type.name(), field)
                            .flatMap(Schema.kubernetes()::type)
                            .ifPresent(items -> {
                                assertThat(items.fields().keySet()).containsAll(traits.listKeys());
                                if (!traits.mergeKey().isEmpty()) {
                                    assertThat(items.fields()).containsKey(traits.mergeKey());
                                }
                            }));
        }
    }
}
