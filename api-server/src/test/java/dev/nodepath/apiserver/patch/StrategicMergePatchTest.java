package dev.nodepath.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.resource.Resources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategicMergePatchTest {
    /** Each row: what it shows; a Pod; a patch; the Pod after it. Results follow Kubernetes' documentation of the patch. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            merges objects              | {'spec':{'a':1}}                                        | {'spec':{'b':2}}                                                       | {'spec':{'a':1,'b':2}}
            null removes                | {'spec':{'a':1,'b':2}}                                  | {'spec':{'a':null}}                                                    | {'spec':{'b':2}}
            merges items by their key   | {'spec':{'containers':[{'name':'a','image':'x'}]}}      | {'spec':{'containers':[{'name':'a','tty':true},{'name':'b'}]}}         | {'spec':{'containers':[{'name':'a','image':'x','tty':true},{'name':'b'}]}}
            deletes an item             | {'spec':{'containers':[{'name':'a'},{'name':'b'}]}}     | {'spec':{'containers':[{'$patch':'delete','name':'a'}]}}               | {'spec':{'containers':[{'name':'b'}]}}
            replaces a list             | {'spec':{'containers':[{'name':'a'},{'name':'b'}]}}     | {'spec':{'containers':[{'name':'c'},{'$patch':'replace'}]}}            | {'spec':{'containers':[{'name':'c'}]}}
            replaces an object          | {'spec':{'securityContext':{'a':1}}}                    | {'spec':{'securityContext':{'$patch':'replace','b':1}}}                | {'spec':{'securityContext':{'b':1}}}
            deletes an object           | {'spec':{'securityContext':{'a':1},'b':1}}              | {'spec':{'securityContext':{'$patch':'delete'}}}                       | {'spec':{'securityContext':{},'b':1}}
            lists without key replaced  | {'spec':{'containers':[{'name':'a','args':['x']}]}}     | {'spec':{'containers':[{'name':'a','args':['y','z']}]}}                | {'spec':{'containers':[{'name':'a','args':['y','z']}]}}
            adds values to a set        | {'metadata':{'finalizers':['a','b']}}                   | {'metadata':{'finalizers':['b','c']}}                                  | {'metadata':{'finalizers':['a','b','c']}}
            deletes values of a set     | {'metadata':{'finalizers':['a','b']}}                   | {'metadata':{'$deleteFromPrimitiveList/finalizers':['a']}}             | {'metadata':{'finalizers':['b']}}
            orders items                | {'spec':{'containers':[{'name':'a'},{'name':'b'}]}}     | {'spec':{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}]}}   | {'spec':{'containers':[{'name':'b'},{'name':'a'}]}}
            keeps unnamed items ahead   | {'spec':{'containers':[{'name':'z'},{'name':'a'}]}}     | {'spec':{'$setElementOrder/containers':[{'name':'a'},{'name':'b'}],'containers':[{'name':'b'}]}} | {'spec':{'containers':[{'name':'z'},{'name':'a'},{'name':'b'}]}}
            keeps only named keys       | {'spec':{'volumes':[{'name':'v','emptyDir':{}}]}}       | {'spec':{'volumes':[{'$retainKeys':['name','configMap'],'name':'v','configMap':{'name':'c'}}]}} | {'spec':{'volumes':[{'name':'v','configMap':{'name':'c'}}]}}
            drops directives of new     | {'spec':{}}                                             | {'spec':{'containers':[{'$patch':'merge','name':'a'}]}}                | {'spec':{'containers':[{'name':'a'}]}}
            """)
    void patches(String shows, String before, String patch, String after) {
        ObjectNode pod = TestCluster.tree(before);
        StrategicMergePatch.apply(Resources.PODS, pod, TestCluster.tree(patch));
        assertThat(pod).as(shows).isEqualTo(TestCluster.tree(after));
    }

    @Test
    void refusesAnItemWithoutItsKey() {
        ObjectNode pod = TestCluster.tree("{'spec':{'containers':[{'name':'a'}]}}");
        assertThatThrownBy(() -> StrategicMergePatch.apply(
                        Resources.PODS, pod, TestCluster.tree("{'spec':{'containers':[{'image':'x'}]}}")))
                .isInstanceOf(StatusException.class)
                .hasMessageContaining("does not contain declared merge key: name");
    }

    /** The example of RFC 7386, appendix A, in part. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            {'a':'b'}             | {'a':'c'}                | {'a':'c'}
            {'a':'b'}             | {'b':'c'}                | {'a':'b','b':'c'}
            {'a':'b','b':'c'}     | {'a':null}               | {'b':'c'}
            {'a':['b']}           | {'a':'c'}                | {'a':'c'}
            {'a':{'b':'c'}}       | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}
            {'a':[{'b':'c'}]}     | {'a':[1]}                | {'a':[1]}
            {'e':null}            | {'a':1}                  | {'e':null,'a':1}
            {}                    | {'a':{'bb':{'ccc':null}}}| {'a':{'bb':{}}}
            """)
    void mergesAsRfc7386Says(String before, String patch, String after) {
        ObjectNode object = TestCluster.tree(before);
        MergePatch.apply(object, TestCluster.tree(patch));
        assertThat(object).isEqualTo(TestCluster.tree(after));
    }

    @Test
    void copiesOfAJsonPatchHaveALimit() throws Exception {
        StringBuilder patch = new StringBuilder("[{'op':'add','path':'/a','value':[1,2,3,4]}");
        for (int i = 0; i < 40; i++) {
            patch.append(",{'op':'copy','from':'/a','path':'/a/-'}");
        }
        assertThatThrownBy(() -> JsonPatchRequest.apply(
                        TestCluster.tree("{}"),
                        dev.nodepath.apiserver.request.Json.MAPPER.readTree(
                                patch.append(']').toString().replace('\'', '"'))))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(413));
    }
}
