package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeProxyVersionTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Kubernetes v1.20.2                         | v1.20.2                     | false |
            Kubernetes v1.28.15                        | v1.28.15                    | false |
            Kubernetes v1.29.0                         | v1.29.0                     | true  | --feature-gates=NFTablesProxyMode=true
            Kubernetes v1.30.14-gke.1                  | v1.30.14-gke.1              | true  | --feature-gates=NFTablesProxyMode=true
            Kubernetes v1.31.0                         | v1.31.0                     | true  |
            Kubernetes v1.36.1                         | v1.36.1                     | true  |
            Kubernetes v2.0.0                          | v2.0.0                      | true  |
            Kubernetes v0.0.0-master+faecb196815e2     | v0.0.0-master+faecb196815e2 | false |
            """)
    void hasTheModeFromItsFirstVersionOn(String printed, String name, boolean nftables, String options) {
        assertThat(KubeProxyVersion.parse(printed + "\n")).hasValueSatisfying(version -> {
            assertThat(version).hasToString(name);
            assertThat(version.hasNftables()).isEqualTo(nftables);
            List<String> expected = options == null ? List.of() : Arrays.asList(options.split(" ", -1));
            if (nftables) {
                assertThat(version.nftablesOptions()).isEqualTo(expected);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"''", "kube-proxy", "Kubernetes", "Kubernetes vX.1", "v1.36.1"})
    void anythingElseIsNoVersion(String printed) {
        assertThat(KubeProxyVersion.parse(printed)).isEmpty();
    }
}
