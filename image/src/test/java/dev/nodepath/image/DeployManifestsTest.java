package dev.nodepath.image;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The manifests for clusters are valid for the API. The tests of the image show that they work. */
class DeployManifestsTest {
    private final DeployManifests nodepath;

    DeployManifestsTest() throws IOException {
        nodepath = DeployManifests.read(Home.KIND.resolve("nodepath.yaml"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodepath.yaml", "sample.yaml", "remove.yaml"})
    void hasOnlyFieldsOfTheApi(String file) throws IOException {
        assertThat(DeployManifests.read(Home.KIND.resolve(file)).unknownFields())
                .isEmpty();
    }

    @Test
    void anUnknownFieldIsFoundWhereverItIs(@TempDir Path folder) throws IOException {
        String text = Files.readString(Home.KIND.resolve("nodepath.yaml"))
                .replace("readOnlyRootFilesystem", "readonlyRootFilesystem");
        assertThat(DeployManifests.read(Files.writeString(folder.resolve("typo.yaml"), text))
                        .unknownFields())
                .containsExactly(
                        "DaemonSet/nodepath.Spec.Template.Spec.Containers[].SecurityContext.readonlyRootFilesystem");
    }

    @Test
    void everyObjectHasItsNamespace() {
        assertThat(nodepath.all().stream()
                        .filter(object -> !object.getKind().startsWith("ClusterRole"))
                        .map(HasMetadata::getMetadata))
                .allSatisfy(metadata -> assertThat(metadata.getNamespace()).isIn("kube-system", "default"));
    }

    @Test
    void rightsAreBoundToTheAccountOfThePods() {
        ServiceAccount account = nodepath.only(ServiceAccount.class);
        assertThat(pod().getServiceAccountName())
                .isEqualTo(account.getMetadata().getName());
        assertThat(Stream.concat(
                        nodepath.only(ClusterRoleBinding.class).getSubjects().stream(),
                        nodepath.only(RoleBinding.class).getSubjects().stream()))
                .extracting(Subject::getName, Subject::getNamespace)
                .containsOnly(org.assertj.core.groups.Tuple.tuple(
                        account.getMetadata().getName(), account.getMetadata().getNamespace()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/services",
                "/nodes",
                "/pods",
                "/namespaces",
                "discovery.k8s.io/endpointslices",
                "networking.k8s.io/networkpolicies",
                "policy.networking.k8s.io/clusternetworkpolicies"
            })
    void mayListAndWatchWhatItFollows(String resource) {
        AccessRules rules = new AccessRules(nodepath);
        String path = resource.startsWith("/") ? "/api/v1" + resource : "/apis/" + resource.replace("/", "/v1/");
        assertThat(rules.permit("GET", path, false)).isTrue();
        assertThat(rules.permit("GET", path, true)).isTrue();
    }

    @Test
    void runsOnEveryNodeBeforeThereIsANetwork() {
        assertThat(pod().getHostNetwork()).isTrue();
        assertThat(pod().getTolerations()).singleElement().satisfies(toleration -> {
            assertThat(toleration.getOperator()).isEqualTo("Exists");
            assertThat(toleration.getKey()).isNull();
            assertThat(toleration.getEffect()).isNull();
        });
        assertThat(pod().getPriorityClassName()).isEqualTo("system-node-critical");
        assertThat(container().getEnv())
                .extracting(io.fabric8.kubernetes.api.model.EnvVar::getName)
                .contains("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "NODE_NAME");
        assertThat(container().getImagePullPolicy()).isEqualTo("IfNotPresent");
    }

    @Test
    void isReplacedOnOneNodeAtATime() {
        var strategy = nodepath.only(DaemonSet.class).getSpec().getUpdateStrategy();
        assertThat(strategy.getType()).isEqualTo("RollingUpdate");
        assertThat(strategy.getRollingUpdate().getMaxUnavailable().getIntVal()).isEqualTo(1);
    }

    @Test
    void rulesThatCannotBeWrittenEndNoAgent() {
        assertThat(container().getLivenessProbe().getHttpGet().getPath()).isEqualTo("/livez/ping");
        assertThat(container().getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
    }

    /** An earlier probe would cause a Warning event at each start, and a long period after it a slow rollout. */
    @Test
    void isReadyInAClusterSoonAfterItIs() {
        var probe = container().getReadinessProbe();
        assertThat(probe.getInitialDelaySeconds()).isBetween(1, 3);
        assertThat(probe.getPeriodSeconds()).isLessThanOrEqualTo(2);
        assertThat(probe.getPeriodSeconds() * probe.getFailureThreshold()).isGreaterThanOrEqualTo(15);
        assertThat(container().getLivenessProbe().getInitialDelaySeconds()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void everyMountHasItsVolume() {
        assertThat(container().getVolumeMounts())
                .extracting(VolumeMount::getName)
                .containsExactlyInAnyOrderElementsOf(pod().getVolumes().stream()
                        .map(io.fabric8.kubernetes.api.model.Volume::getName)
                        .toList());
    }

    /** With SELinux enforcing, containers of other types may not write to the folders of the node. */
    @ParameterizedTest
    @ValueSource(strings = {"nodepath.yaml", "remove.yaml"})
    void writesToNodesWithSelinux(String file) throws IOException {
        PodSpec spec = DeployManifests.read(Home.KIND.resolve(file))
                .only(DaemonSet.class)
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream())
                        .filter(container -> !container.getVolumeMounts().isEmpty())
                        .map(container -> container.getSecurityContext().getSeLinuxOptions()))
                .singleElement()
                .satisfies(options -> {
                    assertThat(options.getType()).isEqualTo("spc_t");
                    assertThat(options.getLevel()).isEqualTo("s0");
                });
    }

    /** When applied, it replaces the agent on each node; a second DaemonSet would run beside the agent. */
    @Test
    void theRemovalStandsInForTheAgent() throws IOException {
        DaemonSet removal =
                DeployManifests.read(Home.KIND.resolve("remove.yaml")).only(DaemonSet.class);
        DaemonSet agent = nodepath.only(DaemonSet.class);
        assertThat(removal.getMetadata()).isEqualTo(agent.getMetadata());
        assertThat(removal.getSpec().getSelector()).isEqualTo(agent.getSpec().getSelector());
        assertThat(removal.getSpec().getTemplate().getMetadata())
                .isEqualTo(agent.getSpec().getTemplate().getMetadata());
        PodSpec spec = removal.getSpec().getTemplate().getSpec();
        assertThat(spec.getHostNetwork()).isTrue();
        assertThat(spec.getTolerations()).isEqualTo(pod().getTolerations());
        assertThat(spec.getNodeSelector()).isEqualTo(pod().getNodeSelector());
        assertThat(spec.getPriorityClassName()).isEqualTo(pod().getPriorityClassName());
        assertThat(pod().getVolumes()).containsAll(spec.getVolumes());
        assertThat(spec.getInitContainers()).singleElement().satisfies(container -> {
            assertThat(container.getArgs()).startsWith("cleanup", "--uninstall");
            assertThat(container.getImage()).isEqualTo(container().getImage());
            assertThat(container().getSecurityContext().getCapabilities().getAdd())
                    .containsAll(
                            container.getSecurityContext().getCapabilities().getAdd());
            assertThat(container.getVolumeMounts())
                    .extracting(VolumeMount::getName)
                    .containsExactlyInAnyOrderElementsOf(spec.getVolumes().stream()
                            .map(io.fabric8.kubernetes.api.model.Volume::getName)
                            .toList());
        });
    }

    /**
     * It has the names of nodepath.yaml, so that deleting nodepath.yaml leaves nothing; with other rights the names
     * would change their meaning.
     */
    @Test
    void theRemovalMayTakeBackTheConditionAndNothingElse() throws IOException {
        DeployManifests removal = DeployManifests.read(Home.KIND.resolve("remove.yaml"));
        for (HasMetadata object : removal.all()) {
            assertThat(nodepath.all())
                    .extracting(HasMetadata::getKind, each -> each.getMetadata().getName())
                    .contains(org.assertj.core.groups.Tuple.tuple(
                            object.getKind(), object.getMetadata().getName()));
        }
        PodSpec spec = removal.only(DaemonSet.class).getSpec().getTemplate().getSpec();
        assertThat(spec.getServiceAccountName()).isEqualTo(pod().getServiceAccountName());
        assertThat(removal.only(ClusterRole.class).getRules())
                .flatExtracting(rule -> rule.getResources().stream()
                        .map(resource -> rule.getVerbs() + " " + resource)
                        .toList())
                .containsExactly("[get] nodes", "[patch] nodes/status");
        assertThat(spec.getInitContainers().get(0).getEnv())
                .extracting(io.fabric8.kubernetes.api.model.EnvVar::getName)
                .containsExactlyElementsOf(container().getEnv().stream()
                        .map(io.fabric8.kubernetes.api.model.EnvVar::getName)
                        .toList());
        // The agent works without the ConfigMap too, as long as rules lead to the API server.
        assertThat(spec.getInitContainers().get(0).getEnv())
                .filteredOn(variable -> variable.getValueFrom().getConfigMapKeyRef() != null)
                .hasSize(2)
                .allMatch(
                        variable -> variable.getValueFrom().getConfigMapKeyRef().getOptional());
    }

    @Test
    void theModeIsOneFieldOfTheConfigMap() {
        Map<?, ?> file = yaml(setting("config.yaml"));
        assertThat(file.get("kind")).isEqualTo("KubeProxyConfiguration");
        assertThat(file.get("mode")).isEqualTo("iptables");
        // The line that 'up' replaces to change the mode.
        assertThat(setting("config.yaml").lines()).containsOnlyOnce("mode: iptables");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster.yaml", "cluster-dual-stack.yaml"})
    void aClusterOfKindHasNoNetworkOfItsOwn(String file) throws IOException {
        Map<?, ?> cluster = yaml(Files.readString(Home.KIND.resolve(file)));
        assertThat(cluster.get("kind")).isEqualTo("Cluster");
        assertThat(cluster.get("apiVersion")).isEqualTo("kind.x-k8s.io/v1alpha4");
        Map<?, ?> networking = (Map<?, ?>) requireNonNull(cluster.get("networking"));
        assertThat(networking.get("disableDefaultCNI")).isEqualTo(true);
        assertThat(networking.get("kubeProxyMode")).isEqualTo("none");
        assertThat(networking.get("ipFamily")).isEqualTo(file.contains("dual") ? "dual" : null);
        assertThat((List<?>) cluster.get("nodes"))
                .extracting(node -> ((Map<?, ?>) node).get("role"))
                .isEqualTo(List.of("control-plane", "worker", "worker"));
        // The API server's name in nodepath.yaml is that of this cluster.
        assertThat(setting("api-server-host")).isEqualTo(cluster.get("name") + "-control-plane");
    }

    private PodSpec pod() {
        return nodepath.only(DaemonSet.class).getSpec().getTemplate().getSpec();
    }

    private Container container() {
        assertThat(pod().getContainers()).hasSize(1);
        return pod().getContainers().get(0);
    }

    private String setting(String key) {
        return requireNonNull(nodepath.only(ConfigMap.class).getData().get(key), key);
    }

    private static Map<?, ?> yaml(String text) {
        return (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(text);
    }
}
