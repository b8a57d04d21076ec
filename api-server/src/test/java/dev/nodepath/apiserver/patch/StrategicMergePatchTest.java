package dev.nodepath.apiserver.patch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategicMergePatchTest {
    /**
     * Each row: its point; a Pod; a patch; the Pod after it. Results follow Kubernetes' documentation of the patch.
     */
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
            takes an absent list whole  | {'spec':{'containers':[{'name':'a'}]}}                  | {'spec':{'containers':[{'name':'a','ports':[{'containerPort':53,'protocol':'UDP'},{'containerPort':53,'protocol':'TCP'}]}]}} | {'spec':{'containers':[{'name':'a','ports':[{'containerPort':53,'protocol':'UDP'},{'containerPort':53,'protocol':'TCP'}]}]}}
            takes it in the order given | {'spec':{'containers':[{'name':'a'}]}}                  | {'spec':{'containers':[{'name':'a','$setElementOrder/env':[{'name':'A'},{'name':'A'}],'env':[{'name':'A','value':'1'},{'name':'A','value':'2'}]}]}} | {'spec':{'containers':[{'name':'a','env':[{'name':'A','value':'1'},{'name':'A','value':'2'}]}]}}
            drops items deleted of none | {'spec':{}}                                             | {'spec':{'containers':[{'$patch':'delete','name':'a'},{'name':'b'},{'$patch':'replace'}]}} | {'spec':{'containers':[{'name':'b'}]}}
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
                        Json.MAPPER.readTree(patch.append(']').toString().replace('\'', '"'))))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(422));
    }

    /** Each row: an operation on {@code {'a': {}, 'list': [1, 2]}}, and why it is refused. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
        'remove','path':'/a/none'             | error in remove for path: '/a/none': Unable to remove nonexistent key: none: missing value
        'remove','path':'/none/b'             | remove operation does not apply: doc is missing path: "/none/b": missing value
        'remove','path':'/list/2'             | error in remove for path: '/list/2': Unable to access invalid index: 2: invalid index referenced
        'remove','path':'/list/-3'            | error in remove for path: '/list/-3': Unable to access invalid index: -3: invalid index referenced
        'remove','path':'/list/-'             | error in remove for path: '/list/-': strconv.Atoi: parsing "-": invalid syntax
        'replace','path':'/list/-','value':1  | replace operation does not apply: doc is missing key: /list/-: missing value
        'replace','path':'/n/b','value':1     | replace operation does not apply: doc is missing path: /n/b: missing value
        'test','path':'/list/-','value':1     | error in test for path: '/list/-': strconv.Atoi: parsing "-": invalid syntax
        'test','path':'/b','value':1          | testing value /b failed: test failed
        'test','path':'/a'                    | testing value /a failed: test failed
        'test','path':'/list/0','value':2     | testing value /list/0 failed: test failed
        'add','path':'/n/b','value':1         | add operation does not apply: doc is missing path: "/n/b": missing value
        'add','path':'/list/4','value':1      | error in add for path: '/list/4': Unable to access invalid index: 4: invalid index referenced
        'add','path':'/list/x','value':1      | error in add for path: '/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax
        'add','path':'','value':{}            | add operation does not apply: doc is missing path: "": missing value
        'copy','from':'/list/2','path':'/a/b' | error in copy for from: '/list/2': Unable to access invalid index: 2: invalid index referenced
        'copy','from':'/a','path':'/list/9'   | error while adding value during copy: Unable to access invalid index: 9: invalid index referenced
        'copy','from':'/a','path':'/n/b'      | copy operation does not apply: doc is missing destination path: /n/b: missing value
        'move','from':'/n/b','path':'/a/b'    | move operation does not apply: doc is missing from path: /n/b: missing value
        'move','from':'/n','path':'/a/b'      | error in move for path: 'n': Unable to remove nonexistent key: n: missing value
        'move','from':'/a','path':'/n/b'      | move operation does not apply: doc is missing destination path: /n/b: missing value
        'move','from':'/a','path':'/a/b'      | move operation does not apply: doc is missing destination path: /a/b: missing value
        'move','from':'/a','path':'/list/9'   | error in move for path: '/list/9': Unable to access invalid index: 9: invalid index referenced
        'jump','path':'/a'                    | Unexpected kind: jump
        """)
    void namesAPathThatIsNotThere(String operation, String why) throws Exception {
        assertThatThrownBy(() -> JsonPatchRequest.apply(
                        TestCluster.tree("{'a':{},'list':[1,2]}"),
                        Json.MAPPER.readTree(("[{'op':" + operation + "}]").replace('\'', '"'))))
                .isInstanceOfSatisfying(
                        StatusException.class, e -> assertThat(e.code()).isEqualTo(422))
                .hasMessageEndingWith(": " + why);
    }

    /** Kubernetes does so since 1.23, though RFC 6902 does not know them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
        'remove','path':'/l/-1'                 | [{'n':1}]
        'replace','path':'/l/-2','value':0      | [0,{'n':2}]
        'add','path':'/l/-1','value':0          | [{'n':1},{'n':2},0]
        'add','path':'/l/-','value':0           | [{'n':1},{'n':2},0]
        'test','path':'/l/-1/n','value':2       | [{'n':1},{'n':2}]
        'replace','path':'/l/-1/n','value':3    | [{'n':1},{'n':3}]
        'copy','from':'/l/-1','path':'/l/-'     | [{'n':1},{'n':2},{'n':2}]
        'move','from':'/l/0','path':'/l/-1'     | [{'n':2},{'n':1}]
        'move','from':'/l/-1','path':'/l/0'     | [{'n':2},{'n':1}]
        """)
    void anIndexBelowZeroCountsFromTheEnd(String operation, String list) throws Exception {
        ObjectNode patched = JsonPatchRequest.apply(
                TestCluster.tree("{'l':[{'n':1},{'n':2}]}"),
                Json.MAPPER.readTree(("[{'op':" + operation + "}]").replace('\'', '"')));
        assertThat(patched).isEqualTo(TestCluster.tree("{'l':" + list + "}"));
    }

    /** A copy for each operation would take minutes. */
    @Test
    void allOperationsOfAJsonPatchChangeOneTree() throws Exception {
        ObjectNode map = TestCluster.tree("{'data':{}}");
        ArrayNode patch = map.arrayNode();
        for (int i = 0; i < 9_999; i++) {
            ((ObjectNode) map.get("data")).put("k" + i, "v");
            patch.addObject().put("op", "replace").put("path", "/data/k" + i).put("value", "w");
        }
        ObjectNode patched = JsonPatchRequest.apply(map, patch);
        assertThat(patched).isSameAs(map);
        assertThat(patched.path("data").path("k9998").asText()).isEqualTo("w");
    }

    /** Each row: its point; an object; a patch; the object after it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            replaces a whole | {'a':1}         | [{'op':'replace','path':'','value':{'b':2}}]                                   | {'b':2}
            replaces nothing | {'a':{}}        | [{'op':'replace','path':'/a/b','value':1}]                                     | {'a':{'b':1}}
            tests nothing    | {'a':{}}        | [{'op':'test','path':'/b','value':null},{'op':'test','path':'/b'}]             | {'a':{}}
            copies nothing   | {'a':{}}        | [{'op':'copy','from':'/b','path':'/a/c'}]                                      | {'a':{'c':null}}
            knows escapes    | {'a/b~c':1}     | [{'op':'move','from':'/a~1b~0c','path':'/d~1'}]                                | {'d/':1}
            tests a whole    | {'a':1}         | [{'op':'test','path':'','value':{'a':1}},{'op':'remove','path':'/a'}]          | {}
            copies an item   | {'a':[{'b':1}]} | [{'op':'copy','from':'/a/0','path':'/a/-'},{'op':'add','path':'/a/0/b','value':2}] | {'a':[{'b':2},{'b':1}]}
            """)
    void changesWholesAndWhatIsNotThere(String shows, String before, String patch, String after) throws Exception {
        assertThat(JsonPatchRequest.apply(TestCluster.tree(before), Json.MAPPER.readTree(patch.replace('\'', '"'))))
                .as(shows)
                .isEqualTo(TestCluster.tree(after));
    }

    /** Each item looked for among all would take minutes. Their keys have the same hash, too. */
    @Test
    void mergesLongLists() {
        ObjectNode pod = TestCluster.tree("{'spec':{'containers':[]}}");
        ObjectNode patch = TestCluster.tree("{'spec':{'containers':[],'$setElementOrder/containers':[]}}");
        for (int i = 0; i < 1 << 16; i++) {
            String name = sameHash(i);
            pod.withArray("/spec/containers").addObject().put("name", name);
            patch.withArray("/spec/containers").addObject().put("name", name).put("tty", true);
            ((ArrayNode) patch.at("/spec").get("$setElementOrder/containers"))
                    .addObject()
                    .put("name", name);
        }
        StrategicMergePatch.apply(Resources.PODS, pod, patch);
        assertThat(pod.at("/spec/containers"))
                .hasSize(1 << 16)
                .allMatch(each -> each.path("tty").asBoolean());
    }

    @Test
    void addsAndDeletesManyValues() {
        ObjectNode pod = TestCluster.tree("{'metadata':{'finalizers':[]}}");
        ObjectNode patch = TestCluster.tree("{'metadata':{'finalizers':[],'$deleteFromPrimitiveList/finalizers':[]}}");
        for (int i = 0; i < 1 << 16; i++) {
            pod.withArray("/metadata/finalizers").add(sameHash(i));
            patch.withArray("/metadata/finalizers").add("n" + sameHash(i));
            ((ArrayNode) patch.at("/metadata").get("$deleteFromPrimitiveList/finalizers")).add(sameHash(i));
        }
        StrategicMergePatch.apply(Resources.PODS, pod, patch);
        assertThat(pod.at("/metadata/finalizers"))
                .hasSize(1 << 16)
                .allMatch(each -> each.asText().startsWith("n"));
    }

    /** Texts with one hash code: "Aa" and "BB" have the same. */
    private static String sameHash(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 16; bit++) {
            text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }
}
