package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;

/** Makes rules of manifests, as text without parts that no test needs. */
abstract class UnrecordedInputs {
    static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal = new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16")));
    });

    static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: ns}
            """;

    @TempDir
    private Path folder;

    static String slice(String family, String ports, String... endpoints) {
        StringBuilder text =
                new StringBuilder("""
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: web-%s-%s, namespace: ns, labels: {kubernetes.io/service-name: web}}
                addressType: %s
                ports: [%s]
                endpoints:
                """.formatted(family.toLowerCase(Locale.ROOT), endpoints.length, family, ports));
        for (String endpoint : endpoints) {
            text.append("- {").append(endpoint).append("}\n");
        }
        return text.toString();
    }

    static String ready(String address, String node) {
        return "addresses: ['" + address + "'], nodeName: " + node + ", conditions: {ready: true}";
    }

    String rules(IptablesConfig config, IpFamily family, String... manifests) throws Exception {
        RuleSet with = IptablesRules.of(snapshot(manifests), config, family);
        RuleSet without = IptablesRules.of(ServiceSnapshot.EMPTY, config, family);
        StringBuilder text = new StringBuilder();
        for (Table table : List.of(Table.FILTER, Table.NAT)) {
            with.chains(table).forEach((chain, rules) -> {
                List<Rule> known = without.chains(table).getOrDefault(chain, List.of());
                for (Rule rule : rules) {
                    if (!known.contains(rule) && !chain.startsWith("KUBE-SEP")) {
                        text.append(table + " " + chain + " " + rule + "\n");
                    }
                }
            });
        }
        return text.toString()
                .replaceAll("(KUBE-(?:SVC|SVL|EXT|FW|SEP))-[A-Z2-7]{16}", "$1")
                .replaceAll("-m comment --comment (\"[^\"]*\")", "$1")
                .replaceAll("-p (\\w+) -m \\w+", "$1");
    }

    ServiceSnapshot snapshot(String... manifests) throws Exception {
        Path file = Files.writeString(folder.resolve("objects.yaml"), String.join("", manifests));
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(
                ManifestReader.check(ManifestReader.objects(List.of(file))).cluster());
        return tracker.commit().snapshot();
    }
}
