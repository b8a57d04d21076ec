package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(900)
class PodVolumesTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private QuietNode node;
    private PodVolumes volumes;
    private Instant now = Instant.parse("2026-01-02T03:04:05Z");

    @BeforeEach
    void start() throws Exception {
        node = new QuietNode(folder.resolve("node"), 1);
        volumes = new PodVolumes(
                folder.resolve("volumes"),
                ClaimFolders.of(folder.resolve("cluster")),
                new PodEnvironment(node.api),
                new PodTokens(node.api, () -> now));
        node.api.create(
                Resources.CONFIG_MAPS,
                json("{'metadata': {'namespace': 'default', 'name': 'conf'}, 'data': {'a': 'one', 'b': 'two'}}"));
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static ObjectNode json(String text) throws Exception {
        return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    }

    private static ObjectNode pod(String volume, String mounts) throws Exception {
        return json("{'metadata': {'namespace': 'default', 'name': 'web', 'labels': {'z': 'last', 'app': 'a b'}},"
                + " 'spec': {'volumes': [" + volume + "], 'containers': [{'name': 'c', 'volumeMounts': [" + mounts
                + "]}]}}");
    }

    private List<PodVolumes.Mount> mounts(ObjectNode pod) throws Exception {
        return volumes.mounts(pod, ContainerSpec.containers(pod).get(0), Map.of("POD", "web"));
    }

    private Path file(String path) {
        return folder.resolve("volumes").resolve(path);
    }

    /** Makes a claim and its volume. */
    private void bind(String claim, String volume) throws Exception {
        node.api.create(
                Resources.PERSISTENT_VOLUME_CLAIMS,
                json("{'metadata': {'namespace': 'default', 'name': '" + claim + "'}, 'spec': {'volumeName': '" + volume
                        + "'}}"));
        String uid = node.api
                .get(Resources.PERSISTENT_VOLUME_CLAIMS, new ObjectKey("default", claim))
                .at("/metadata/uid")
                .asText();
        node.api.create(
                Resources.PERSISTENT_VOLUMES,
                json("{'metadata': {'name': '" + volume + "'}, 'spec': {'capacity': {'storage':"
                        + " '2Mi'}, 'claimRef': {'uid': '" + uid + "'}}}"));
    }

    @Test
    @Tag("netns")
    void aClaimIsAFolderOfItsVolumeWhicheverPodHasIt() throws Exception {
        bind("data", "pvc-1");
        ObjectNode pod =
                json("{'metadata': {'namespace': 'default', 'name': 'p'}, 'spec': {'containers': [{'name': 'c',"
                        + " 'volumeMounts': [{'name': 'v', 'mountPath': '/a'}, {'name': 'v', 'mountPath': '/b', 'subPath':"
                        + " 'sub'}]}], 'volumes': [{'name': 'v',"
                        + " 'persistentVolumeClaim': {'claimName': 'data'}}]}}");
        volumes.write(pod);
        Path claim = folder.resolve("cluster/volumes/pvc-1");
        assertThat(volumes.mounts(pod, ContainerSpec.containers(pod).get(0), Map.of()))
                .extracting(mount -> mount.source().resolve(mount.part()).toRealPath())
                .containsExactly(claim.toRealPath(), claim.resolve("sub").toRealPath());
        PodFolder.delete(folder.resolve("volumes"));
        assertThat(claim.resolve("sub")).as("outlives the Pod").isDirectory();
        assertThat(Files.getFileStore(claim).getTotalSpace()).as("its limit").isEqualTo(2 << 20);
        ClaimFolders.of(folder.resolve("cluster")).delete("pvc-1");
        assertThat(claim).doesNotExist();
        bind("bad", "../../etc");
        ObjectNode bad = json(pod.toString().replace("\"data\"", "\"bad\"").replace('"', '\''));
        assertThatThrownBy(() -> volumes.write(bad)).hasMessageContaining("no name of a folder");
    }

    /** Otherwise an author of Pods with a nodeName could read any claim with a fitting name. */
    @Test
    void anEphemeralVolumeIsOfItsOwnClaimAlone() throws Exception {
        bind("web-scratch", "pvc-2");
        ObjectNode pod = pod("{'name': 'scratch', 'ephemeral': {'volumeClaimTemplate': {'spec': {}}}}", "");
        assertThatThrownBy(() -> volumes.write(pod))
                .isInstanceOf(MissingReferenceException.class)
                .hasMessage("MountVolume.SetUp failed for volume \"scratch\" : PVC default/web-scratch was not created"
                        + " for pod default/web (pod is not owner)");
        assertThat(folder.resolve("cluster")).doesNotExist();
    }

    @Test
    void aFileCanTellAResourceOfAContainer() throws Exception {
        ObjectNode pod = pod(
                "{'name': 'info', 'downwardAPI': {'items': [{'path': 'mem', 'resourceFieldRef':"
                        + " {'containerName': 'c', 'resource': 'limits.memory', 'divisor': '1Mi'}}]}}",
                "");
        pod.withObject("/spec/containers/0/resources/limits").put("memory", "64Mi");
        volumes.write(pod);
        assertThat(file("info/mem")).hasContent("64");
    }

    @Test
    void filesHaveTheModesThatAreAskedFor() throws Exception {
        volumes.write(pod(
                "{'name': 'v', 'configMap': {'name': 'conf', 'defaultMode': 493,"
                        + " 'items': [{'key': 'a', 'path': 'deep/a'}, {'key': 'b', 'path': 'b', 'mode': 256}]}}",
                ""));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("v/deep/a"))))
                .isEqualTo("rwxr-xr-x");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("v/b"))))
                .isEqualTo("r--------");
        volumes.write(pod("{'name': 'plain', 'configMap': {'name': 'conf'}}", ""));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("plain/a"))))
                .isEqualTo("rw-r--r--");
    }

    /** A process that has the old file open or mounted keeps it whole. */
    @Test
    void filesFollowTheirSource() throws Exception {
        ObjectNode pod = pod("{'name': 'v', 'configMap': {'name': 'conf'}}", "");
        volumes.write(pod);
        Object before = Files.getAttribute(file("v/a"), "unix:ino");
        node.api.modify(Resources.CONFIG_MAPS, new ObjectKey("default", "conf"), "", map -> {
            map.withObjectProperty("data").put("b", "changed").put("c", "new");
            return map;
        });
        volumes.write(pod);
        assertThat(file("v/b")).hasContent("changed");
        assertThat(file("v/c")).hasContent("new");
        assertThat(Files.getAttribute(file("v/a"), "unix:ino")).isEqualTo(before);
        node.api.modify(Resources.CONFIG_MAPS, new ObjectKey("default", "conf"), "", map -> {
            map.withObjectProperty("data").remove("a");
            return map;
        });
        volumes.write(pod);
        assertThat(file("v/a")).doesNotExist();
    }

    private JsonNode claims(String path) throws Exception {
        return JSON.readTree(
                Base64.getUrlDecoder().decode(Files.readString(file(path)).split("\\.", -1)[1]));
    }

    /** RFC 7519, with Kubernetes' claims for a token that is bound to a Pod. */
    @Test
    void aTokenTellsWhoseItIs() throws Exception {
        node.api.create(
                Resources.SERVICE_ACCOUNTS,
                json("{'metadata': {'namespace': 'default', 'name': 'builder', 'uid': 'u-1'}}"));
        ObjectNode pod = pod(
                "{'name': 'v', 'projected': {'defaultMode': 256, 'sources': [{'serviceAccountToken': {'path': 'token',"
                        + " 'expirationSeconds': 1000}}, {'serviceAccountToken': {'path': 'sub/vault', 'audience':"
                        + " 'vault', 'expirationSeconds': 1000}}]}}",
                "");
        pod.withObjectProperty("metadata").put("uid", "p-1");
        pod.withObjectProperty("spec").put("serviceAccountName", "builder").put("nodeName", "n1");
        volumes.write(pod);
        JsonNode account = node.api.get(Resources.SERVICE_ACCOUNTS, new ObjectKey("default", "builder"));
        assertThat(claims("v/token"))
                .isEqualTo(json("""
                {'aud': ['https://kubernetes.default.svc.cluster.local'], 'exp': 1767324045, 'iat': 1767323045,
                 'iss': 'https://kubernetes.default.svc.cluster.local', 'nbf': 1767323045,
                 'kubernetes.io': {'namespace': 'default', 'node': {'name': 'n1'}, 'pod': {'name': 'web', 'uid': 'p-1'},
                                   'serviceaccount': {'name': 'builder', 'uid': '%s'}},
                 'sub': 'system:serviceaccount:default:builder'}
                """.formatted(account.at("/metadata/uid").asText())));
        assertThat(claims("v/sub/vault").path("aud")).isEqualTo(JSON.readTree("[\"vault\"]"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("v/token"))))
                .isEqualTo("r--------");
    }

    @Test
    void replacesATokenAfterFourFifthsOfItsLife() throws Exception {
        node.api.create(Resources.SERVICE_ACCOUNTS, json("{'metadata': {'namespace': 'default', 'name': 'default'}}"));
        ObjectNode pod = pod(
                "{'name': 'v', 'projected': {'sources': [{'serviceAccountToken': {'path': 'token', 'expirationSeconds':"
                        + " 1000}}]}}",
                "");
        volumes.write(pod);
        String first = Files.readString(file("v/token"));
        now = now.plusSeconds(799);
        volumes.write(pod);
        assertThat(file("v/token")).hasContent(first);
        now = now.plusSeconds(1);
        volumes.write(pod);
        assertThat(claims("v/token").path("iat").asLong()).isEqualTo(now.getEpochSecond());
    }

    @Test
    void aTokenOfNobodyIsNamedAsAKubeletDoes() throws Exception {
        ObjectNode pod =
                pod("{'name': 'v', 'projected': {'sources': [{'serviceAccountToken': {'path': 'token'}}]}}", "");
        pod.withObjectProperty("spec").put("serviceAccountName", "nobody");
        assertThatThrownBy(() -> volumes.write(pod))
                .hasMessage(
                        "MountVolume.SetUp failed for volume \"v\" : failed to fetch token: serviceaccounts \"nobody\""
                                + " not found");
    }

    @Test
    void aMissingSourceIsNamedAsAKubeletDoes() throws Exception {
        ObjectNode pod = pod("{'name': 'webhook-cert', 'secret': {'secretName': 'absent'}}", "");
        assertThatThrownBy(() -> volumes.write(pod))
                .isInstanceOf(MissingReferenceException.class)
                .hasMessage("MountVolume.SetUp failed for volume \"webhook-cert\" : secret \"absent\" not found");
    }

    @Test
    void fieldsOfThePodAreFiles() throws Exception {
        volumes.write(pod(
                "{'name': 'info', 'downwardAPI': {'items': [{'path': 'labels', 'fieldRef': {'fieldPath':"
                        + " 'metadata.labels'}}, {'path': 'name', 'fieldRef': {'fieldPath': 'metadata.name'}}]}}",
                ""));
        assertThat(file("info/labels")).hasContent("app=\"a b\"\nz=\"last\"");
        assertThat(file("info/name")).hasContent("web");
    }

    @Test
    void mountsAreAsTheManifestOrdersThemAndWhatAKubeletWritesIsReadOnly() throws Exception {
        ObjectNode pod = pod(
                "{'name': 'e', 'emptyDir': {}}, {'name': 'v', 'configMap': {'name': 'conf'}}",
                "{'name': 'v', 'mountPath': '/etc/app/a', 'subPath': 'a'}, {'name': 'e', 'mountPath': '/etc/app'},"
                        + " {'name': 'e', 'mountPath': '/log', 'subPathExpr': '$(POD)/x'}");
        volumes.write(pod);
        assertThat(mounts(pod))
                .containsExactly(
                        new PodVolumes.Mount(file("v"), Path.of("a"), "/etc/app/a", true),
                        PodVolumes.Mount.of(file("e"), "/etc/app", false),
                        new PodVolumes.Mount(file("e"), Path.of("web/x"), "/log", false));
        assertThat(file("e/web/x")).isDirectory();
    }

    /** A container may put any link into a volume that it writes to. */
    @Test
    void aLinkInAVolumeLeadsNowhereElse() throws Exception {
        ObjectNode pod = pod("{'name': 'e', 'emptyDir': {}}", "{'name': 'e', 'mountPath': '/m', 'subPath': 'link/x'}");
        volumes.write(pod);
        Files.createDirectories(file("e/inside"));
        Files.createSymbolicLink(file("e/link"), Path.of("inside"));
        assertThat(mounts(pod)).extracting(PodVolumes.Mount::part).containsExactly(Path.of("link/x"));
        assertThat(file("e/inside/x")).isDirectory();

        Files.delete(file("e/link"));
        Path machine = Files.createDirectories(folder.resolve("machine"));
        Files.createSymbolicLink(file("e/link"), machine);
        assertThatThrownBy(() -> mounts(pod))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("failed to prepare subPath for volumeMount \"e\" of container \"c\"");
        assertThat(machine).isEmptyDirectory();
    }

    @Test
    @Tag("netns")
    void anEmptyVolumeHoldsNoMoreThanItsLimit() throws Exception {
        ObjectNode pod = pod(
                "{'name': 'small', 'emptyDir': {'medium': 'Memory', 'sizeLimit': '1048575500m'}}, {'name': 'e', 'emptyDir': {}}",
                "{'name': 'small', 'mountPath': '/a'}, {'name': 'e', 'mountPath': '/b'}");
        try {
            volumes.makeEmpty(pod);
            volumes.write(pod);
            assertThat(Files.getFileStore(file("small")).getTotalSpace()).isEqualTo(1 << 20);
            assertThat(Files.getFileStore(file("e")).getTotalSpace()).isEqualTo(512 << 20);
            assertThatThrownBy(() -> Files.write(file("small/full"), new byte[2 << 20]))
                    .hasMessageContaining("No space left on device");
            Files.writeString(file("e/kept"), "content");
            volumes.makeEmpty(pod);
            assertThat(file("e/kept")).hasContent("content");
        } finally {
            MemoryFolder.removeBelow(folder);
        }
        assertThat(file("e/kept")).doesNotExist();
    }

    @Test
    @Tag("netns")
    void aHostPathOfAFileIsItsCopy() throws Exception {
        Path machine = Path.of("/etc/passwd");
        String content = Files.readString(machine);
        ObjectNode pod = pod(
                "{'name': 'users', 'hostPath': {'path': '" + machine
                        + "'}}, {'name': 'run', 'hostPath': {'path': '/run'}}",
                "{'name': 'users', 'mountPath': '/etc/passwd'}, {'name': 'run', 'mountPath': '/r'}");
        try {
            volumes.makeEmpty(pod);
            volumes.write(pod);
            List<PodVolumes.Mount> mounts = mounts(pod);
            assertThat(mounts.get(0).source().resolve(mounts.get(0).part())).hasContent(content);
            assertThat(mounts.get(1).source().resolve(mounts.get(1).part())).isEmptyDirectory();
        } finally {
            MemoryFolder.removeBelow(folder);
        }
    }

    /** Results as in Kubernetes. A volume has no more room than a claim may have. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'sizeLimit': '100Gi' | none | 1024",
                "'sizeLimit': '9E' | 256Mi | 1024",
                "'sizeLimit': '600Mi' | 256Mi | 600",
                "'medium': 'Memory' | none | 512",
                "'medium': 'Memory' | 256Mi | 256",
                "'medium': 'Memory' | 256Mi none | 512",
                "'medium': 'Memory' | 256Mi sidecar-128Mi | 384",
                "'medium': 'Memory' | 256Mi 100Mi | 356",
                "'medium': 'Memory' | 2Gi | 512",
                "'medium': 'Memory'; 'sizeLimit': '100Gi' | 256Mi | 256",
                "'medium': 'Memory'; 'sizeLimit': '100Mi' | 256Mi | 100",
            })
    @Tag("netns")
    void anEmptyVolumeHasNoMoreThanThePodAndTheMachine(String fields, String limits, int expected) throws Exception {
        ObjectNode pod = pod("{'name': 'e', 'emptyDir': {" + fields.replace(';', ',') + "}}", "");
        ArrayNode containers = ((ObjectNode) pod.path("spec")).putArray("containers");
        ArrayNode sidecars = ((ObjectNode) pod.path("spec")).putArray("initContainers");
        for (String each : limits.split(" ", -1)) {
            String limit = each.replace("sidecar-", "");
            ArrayNode list = each.equals(limit) ? containers : sidecars;
            list.addObject()
                    .put("restartPolicy", "Always")
                    .putObject("resources")
                    .putObject("limits")
                    .put("memory", limit);
        }
        try {
            volumes.makeEmpty(pod);
            assertThat(Files.getFileStore(file("e")).getTotalSpace()).isEqualTo((long) expected << 20);
        } finally {
            MemoryFolder.removeBelow(folder);
        }
    }

    /** Nothing here serves some kinds, and a container fills their folders nevertheless. */
    @Test
    @Tag("netns")
    void eachVolumeThatContainersFillHasALimit() throws Exception {
        List<String> kinds =
                List.of("'hostPath': {'path': '/tmp'}", "'nfs': {}", "'csi': {}", "'ephemeral': {}", "'image': {}");
        List<String> all = new ArrayList<>(List.of("{'name': 'v'}"));
        for (String kind : kinds) {
            all.add("{'name': 'v" + all.size() + "', " + kind + "}");
        }
        ObjectNode pod = pod(String.join(", ", all), "");
        try {
            volumes.makeEmpty(pod);
            volumes.write(pod);
            for (JsonNode volume : pod.at("/spec/volumes")) {
                Path root = file(volume.path("name").asText());
                assertThat(Files.getFileStore(root).getTotalSpace())
                        .as(volume.toString())
                        .isEqualTo(512 << 20);
                assertThat(root).isEmptyDirectory();
            }
        } finally {
            MemoryFolder.removeBelow(folder);
        }
    }
}
