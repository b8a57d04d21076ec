package dev.nodepath.apiserver.form;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The output of {@code kubectl get} for kinds without effect, and for volumes. "+" marks wide columns. */
class StoredColumnsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            persistentvolumeclaims; {status: {phase: Bound, accessModes: [ReadOnlyMany, ReadWriteOnce], capacity: {storage: 1Gi}}, spec: {volumeName: v, storageClassName: s, volumeMode: Block}}; Name=a|Status=Bound|Volume=v|Capacity=1Gi|Access Modes=RWO,ROX|StorageClass=s|VolumeAttributesClass=<unset>|Age=60m|+VolumeMode=Block
            persistentvolumeclaims; {metadata: {deletionTimestamp: x}, status: {phase: Bound}}; Name=a|Status=Terminating|Volume=|Capacity=|Access Modes=|StorageClass=|VolumeAttributesClass=<unset>|Age=60m|+VolumeMode=<unset>
            persistentvolumes; {status: {phase: Failed, reason: r}, spec: {accessModes: [ReadWriteOncePod], capacity: {storage: 1Gi}, persistentVolumeReclaimPolicy: Retain, volumeMode: Filesystem, claimRef: {namespace: n, name: c}}}; Name=a|Capacity=1Gi|Access Modes=RWOP|Reclaim Policy=Retain|Status=Failed|Claim=n/c|StorageClass=|VolumeAttributesClass=<unset>|Reason=r|Age=60m|+VolumeMode=Filesystem
            persistentvolumes; {status: {phase: Available}, spec: {accessModes: [ReadWriteMany]}}; Name=a|Capacity=|Access Modes=RWX|Reclaim Policy=|Status=Available|Claim=|StorageClass=|VolumeAttributesClass=<unset>|Reason=|Age=60m|+VolumeMode=<unset>
            ingresses; {spec: {rules: [{host: a}, {host: b}, {host: c}, {http: x}]}}; Name=a|Class=<none>|Hosts=a,b,c + 1 more...|Address=|Ports=80|Age=60m
            storageclasses; {metadata: {annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}, provisioner: p, allowVolumeExpansion: true}; Name=a (default)|Provisioner=p|ReclaimPolicy=Delete|VolumeBindingMode=Immediate|AllowVolumeExpansion=true|Age=60m
            storageclasses; {metadata: {annotations: {storageclass.kubernetes.io/is-default-class: 'false'}}, provisioner: p}; Name=a|Provisioner=p|ReclaimPolicy=Delete|VolumeBindingMode=Immediate|AllowVolumeExpansion=false|Age=60m
            ingresses; {spec: {ingressClassName: c, tls: [{hosts: [x]}], rules: [{host: x}, {host: y}]}, status: {loadBalancer: {ingress: [{ip: 192.0.2.1}, {hostname: h}]}}}; Name=a|Class=c|Hosts=x,y|Address=192.0.2.1,h|Ports=80, 443|Age=60m
            ingresses; {spec: {rules: [{host: a}, {host: b}, {host: c}, {host: d}, {host: e}]}}; Name=a|Class=<none>|Hosts=a,b,c + 2 more...|Address=|Ports=80|Age=60m
            ingresses; {spec: {rules: [{}]}}; Name=a|Class=<none>|Hosts=*|Address=|Ports=80|Age=60m
            resourcequotas; {spec: {hard: {pods: 10, requests.cpu: 1, limits.cpu: '2', limits.memory: 1Gi}}, status: {used: {pods: '3'}}}; Name=a|Request=pods: 3/10, requests.cpu: 0/1|Limit=limits.cpu: 0/2, limits.memory: 0/1Gi|Age=60m
            limitranges; {}; Name=a|Created At=2025-12-31T23:00:00Z
            roles; {}; Name=a|Created At=2025-12-31T23:00:00Z
            clusterroles; {}; Name=a|Created At=2025-12-31T23:00:00Z
            rolebindings; {roleRef: {kind: Role, name: r}, subjects: [{kind: User, name: u}, {kind: User, name: w}, {kind: Group, name: g}, {kind: ServiceAccount, name: s, namespace: n}]}; Name=a|Role=Role/r|Age=60m|+Users=u, w|+Groups=g|+ServiceAccounts=n/s
            clusterrolebindings; {roleRef: {kind: ClusterRole, name: r}}; Name=a|Role=ClusterRole/r|Age=60m|+Users=|+Groups=|+ServiceAccounts=
            priorityclasses; {value: 5, preemptionPolicy: Never}; Name=a|Value=5|Global-Default=false|Age=60m|PreemptionPolicy=Never
            certificatesigningrequests; {spec: {signerName: s, username: u, expirationSeconds: 3600}, status: {conditions: [{type: Approved}]}}; Name=a|Age=60m|SignerName=s|Requestor=u|RequestedDuration=60m|Condition=Approved
            certificatesigningrequests; {spec: {signerName: s}}; Name=a|Age=60m|SignerName=s|Requestor=|RequestedDuration=<none>|Condition=Pending
            certificatesigningrequests; {status: {certificate: YQ==, conditions: [{type: Denied}, {type: Failed}]}}; Name=a|Age=60m|SignerName=<none>|Requestor=|RequestedDuration=<none>|Condition=Denied,Failed,Issued
            replicationcontrollers; {spec: {replicas: 2, selector: {app: x}, template: {spec: {containers: [{name: c, image: i}]}}}}; Name=a|Desired=2|Current=0|Ready=0|Age=60m|+Containers=c|+Images=i|+Selector=app=x
            cronjobs; {spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: i}]}}}}}}; Name=a|Schedule=* * * * *|Timezone=<none>|Suspend=False|Active=0|Last Schedule=<none>|Age=60m|+Containers=c|+Images=i|+Selector=<none>
            podtemplates; {template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, image: i}]}}}; Name=a|Containers=c|Images=i|Pod Labels=app=x
            flowschemas; {spec: {matchingPrecedence: 9, priorityLevelConfiguration: {name: p}, distinguisherMethod: {type: ByUser}}}; Name=a|PriorityLevel=p|MatchingPrecedence=9|DistinguisherMethod=ByUser|Age=60m|MissingPL=?
            flowschemas; {status: {conditions: [{type: Dangling, status: 'False'}]}}; Name=a|PriorityLevel=<none>|MatchingPrecedence=0|DistinguisherMethod=<none>|Age=60m|MissingPL=False
            csidrivers; {spec: {volumeLifecycleModes: [Persistent, Ephemeral], tokenRequests: [{audience: x}]}}; Name=a|AttachRequired=true|PodInfoOnMount=false|StorageCapacity=false|TokenRequests=x|RequiresRepublish=false|Modes=Persistent,Ephemeral|Age=60m
            resourceclaims; {}; Name=a|State=pending|Age=60m
            resourceclaims; {status: {allocation: {}, reservedFor: [{name: p}]}}; Name=a|State=allocated,reserved|Age=60m
            scales; {spec: {replicas: 3}, status: {replicas: 2}}; Name=a|Desired=3|Available=2|Age=60m
            """)
    void showsWhatKubernetesShows(String plural, String object, String expected) {
        JsonNode tree = Json.MAPPER.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(object));
        ((ObjectNode) tree)
                .withObjectProperty("metadata")
                .put("name", "a")
                .put("creationTimestamp", "2025-12-31T23:00:00Z");
        Resource kind = Stream.concat(Resources.all().stream(), Stream.of(Resources.SCALES))
                .filter(each -> each.plural().equals(plural))
                .findFirst()
                .orElseThrow();
        assertThat(columns(kind).stream()
                        .map(each -> (each.wide() ? "+" : "") + each.name() + "="
                                + each.cell().apply(tree, NOW))
                        .collect(Collectors.joining("|")))
                .isEqualTo(expected);
    }

    @Test
    void eachKindHasANameAndCellsForAnEmptyObject() {
        JsonNode empty = Json.MAPPER.createObjectNode();
        for (Resource kind : Resources.all()) {
            List<Column> columns = columns(kind);
            assertThat(columns)
                    .as(kind.kind())
                    .filteredOn(each -> each.format().equals("name"))
                    .hasSize(1);
            columns.forEach(each -> assertThat(each.cell().apply(empty, NOW)).isNotNull());
        }
    }

    private static List<Column> columns(Resource kind) {
        return Columns.of(kind, Optional.empty());
    }
}
