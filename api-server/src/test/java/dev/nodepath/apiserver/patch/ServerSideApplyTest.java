package dev.nodepath.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerSideApplyTest {
    private final ServerSideApply apply =
            new ServerSideApply(Resources.DEPLOYMENTS, "", Instant.parse("2026-01-01T00:00:00Z"));

    @Test
    void writesTheFieldsThatAManagerOwns() {
        ObjectNode object = apply.create(deployment("'replicas':2,", "{'name':'c','image':'i'}"), "me");
        assertThat(object.path("metadata").path("managedFields").path(0))
                .isEqualTo(TestCluster.tree("{'manager':'me','operation':'Apply','apiVersion':'apps/v1',"
                        + "'time':'2026-01-01T00:00:00Z','fieldsType':'FieldsV1','fieldsV1':{'f:spec':{'f:replicas':{},"
                        + "'f:template':{'f:spec':{'f:containers':{'k:{~name~:~c~}':{'.':{},'f:image':{},'f:name':{}}}}}}}}"
                                .replace("~", "\\'")));
    }

    @Test
    void removesWhatAManagerNoLongerApplies() {
        ObjectNode object =
                apply.create(deployment("'replicas':2,", "{'name':'c','image':'i'},{'name':'d','image':'j'}"), "me");
        apply.apply(object, deployment("", "{'name':'c','image':'i'}"), "me", false);
        assertThat(object.path("spec"))
                .isEqualTo(deployment("", "{'name':'c','image':'i'}").path("spec"));
    }

    @Test
    void keepsWhatAnotherManagerAppliesToo() {
        ObjectNode object = apply.create(deployment("'replicas':2,", "{'name':'c','image':'i'}"), "me");
        apply.apply(object, deployment("'replicas':2,", "{'name':'d','image':'j'}"), "you", false);
        apply.apply(object, deployment("", "{'name':'c','image':'i'}"), "me", false);
        assertThat(object.path("spec"))
                .isEqualTo(deployment("'replicas':2,", "{'name':'c','image':'i'},{'name':'d','image':'j'}")
                        .path("spec"));
    }

    @Test
    void namesConflictsAndTakesFieldsByForce() {
        ObjectNode object = apply.create(deployment("'replicas':2,", "{'name':'c','image':'i'}"), "me");
        ObjectNode other = deployment("'replicas':3,", "{'name':'c','image':'j'}");
        assertThatThrownBy(() -> apply.apply(object.deepCopy(), other, "you", false))
                .isInstanceOf(StatusException.class)
                .hasMessage("Apply failed with 2 conflicts: conflicts with \"me\":\n- .spec.replicas\n"
                        + "- .spec.template.spec.containers[name=\"c\"].image");
        apply.apply(object, other, "you", true);
        assertThat(object.path("spec")).isEqualTo(other.path("spec"));
        assertThatThrownBy(
                        () -> apply.apply(object, deployment("'replicas':2,", "{'name':'c','image':'j'}"), "me", false))
                .hasMessage("Apply failed with 1 conflict: conflict with \"you\": .spec.replicas");
    }

    @Test
    void anUpdateTakesTheFieldsThatItChanges() {
        ObjectNode before = apply.create(deployment("'replicas':2,", "{'name':'c','image':'i'}"), "me");
        ObjectNode after = before.deepCopy();
        after.withObjectProperty("spec").put("replicas", 5);
        apply.updated(after, before, "scaler");
        assertThatThrownBy(
                        () -> apply.apply(after, deployment("'replicas':2,", "{'name':'c','image':'i'}"), "me", false))
                .hasMessage("Apply failed with 1 conflict: conflict with \"scaler\" using apps/v1 at"
                        + " 2026-01-01T00:00:00Z: .spec.replicas");
    }

    /** A subresource's sender does not own fields that the subresource does not write. */
    @Test
    void aSubresourceOwnsItsOwnPartAlone() {
        Instant time = Instant.parse("2026-01-01T00:00:00Z");
        ServerSideApply whole = new ServerSideApply(Resources.PODS, "", time);
        ObjectNode first = whole.create(
                TestCluster.tree("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p'},"
                        + "'spec':{'containers':[{'name':'c','image':'i'}]}}"),
                "me");
        ObjectNode all = TestCluster.tree("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{'a':'b'}},"
                + "'spec':{'nodeName':'n1','containers':[{'name':'c','image':'j'}],"
                + "'ephemeralContainers':[{'name':'d','image':'i'}]},'status':{'phase':'Running'}}");
        for (String part : List.of("ephemeralcontainers", "status")) {
            ServerSideApply ofPart = new ServerSideApply(Resources.PODS, part, time);
            ObjectNode applied = first.deepCopy();
            ofPart.apply(applied, all.deepCopy(), "you", false);
            ObjectNode updated = all.deepCopy();
            ofPart.updated(updated, first, "you");
            for (ObjectNode object : List.of(applied, updated)) {
                assertThat(object.at("/metadata/managedFields/0/fieldsV1/f:spec"))
                        .as(part)
                        .hasSize(1);
                assertThat(object.at("/metadata/managedFields/1/manager").asText())
                        .as(part)
                        .isEqualTo("you");
                String owned = part.equals("status") ? "/f:status" : "/f:spec/f:ephemeralContainers";
                String parent = owned.substring(0, owned.lastIndexOf('/'));
                ObjectNode fields = (ObjectNode) object.at("/metadata/managedFields/1/fieldsV1");
                assertThat(fields.at(owned).isMissingNode()).as(part).isFalse();
                assertThat(fields).as(part).hasSize(1);
                assertThat(fields.at(parent)).as(part).hasSize(1);
            }
            assertThat(applied.at("/spec/containers/0/image").asText()).isEqualTo("i");
            assertThat(applied.at("/metadata/labels").isMissingNode()).isTrue();
        }
    }

    @Test
    void applyingTheSameAgainChangesNothing() {
        ObjectNode config = deployment("'replicas':2,", "{'name':'c','image':'i'}");
        ObjectNode object = apply.create(config, "me");
        ObjectNode before = object.deepCopy();
        new ServerSideApply(Resources.DEPLOYMENTS, "", Instant.parse("2027-01-01T00:00:00Z"))
                .apply(object, config, "me", false);
        assertThat(object).isEqualTo(before);
    }

    /** Each item looked for among all would take minutes. */
    @Test
    void mergesLongLists() {
        ObjectNode config = deployment("", containers("c", 5000));
        ObjectNode object = apply.create(config, "me");
        apply.apply(object, deployment("", containers("d", 5000)), "you", false);
        assertThat(object.at("/spec/template/spec/containers")).hasSize(10_000);
        ObjectNode before = object.deepCopy();
        object.at("/spec/template/spec/containers").forEach(each -> ((ObjectNode) each).put("image", "j"));
        apply.updated(object, before, "editor");
        apply.apply(object, deployment("", containers("c", 1)), "me", true);
        assertThat(object.at("/spec/template/spec/containers")).hasSizeBetween(5001, 10_000);
    }

    /** One manager with one field each. */
    @Test
    void takesManyManagers() {
        ObjectNode object = apply.create(deployment("'replicas':2,", containers("c", 2000)), "me");
        for (int i = 0; i < 5000; i++) {
            ObjectNode entry = object.withArray("/metadata/managedFields").addObject();
            entry.put("manager", "m" + i).put("operation", "Apply");
            entry.putObject("fieldsV1")
                    .putObject("f:metadata")
                    .putObject("f:labels")
                    .putObject("f:l" + i);
        }
        apply.apply(object, deployment("", containers("c", 1)), "me", false);
        assertThat(object.at("/spec/template/spec/containers")).hasSize(1);
        assertThat(object.at("/metadata/managedFields")).hasSize(5001);
    }

    private static String containers(String prefix, int count) {
        StringBuilder containers = new StringBuilder();
        for (int i = 0; i < count; i++) {
            containers
                    .append(i == 0 ? "" : ",")
                    .append("{'name':'")
                    .append(prefix)
                    .append(i)
                    .append("','image':'i'}");
        }
        return containers.toString();
    }

    private static ObjectNode deployment(String spec, String containers) {
        return TestCluster.tree("{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'web'},'spec':{" + spec
                + "'template':{'spec':{'containers':[" + containers + "]}}}}");
    }
}
