package dev.nodepath.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldSelectorTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            jobs                       | status.successful=1       | {'status':{'succeeded':1}}      | true
            jobs                       | status.successful=0       | {}                              | true
            jobs                       | status.successful!=1      | {'status':{'succeeded':1}}      | false
            replicationcontrollers     | status.replicas=0         | {}                              | true
            certificatesigningrequests | spec.signerName==a.b/c    | {'spec':{'signerName':'a.b/c'}} | true
            deployments                | metadata.name=a           | {'metadata':{'name':'a'}}       | true
            """)
    void choosesByTheFieldsOfAKind(String kind, String selector, String object, boolean chosen) {
        assertThat(FieldSelector.parse(kind(kind), selector).test(TestCluster.tree(object)))
                .isEqualTo(chosen);
    }

    /** kubectl itself names the kind before this text. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            pods        | spec.foo=1                 | field label not supported: spec.foo
            secrets     | type=a,spec.foo!=1         | field label not supported: spec.foo
            jobs        | spec.foo=1                 | field label "spec.foo" not supported for Job
            deployments | spec.foo=1                 | "spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"
            configmaps  | data=1                     | "data" is not a known field selector: only "metadata.name", "metadata.namespace"
            pods        | metadata.name=a,foo        | invalid selector: 'metadata.name=a,foo'; can't understand 'foo'
            """)
    void refusesOthersInTheWordsOfTheKind(String kind, String selector, String message) {
        assertThatThrownBy(() -> FieldSelector.parse(kind(kind), selector))
                .isInstanceOf(StatusException.class)
                .hasMessage(message);
    }

    private static Resource kind(String plural) {
        return Resources.all().stream()
                .filter(each -> each.plural().equals(plural))
                .findFirst()
                .orElseThrow();
    }
}
