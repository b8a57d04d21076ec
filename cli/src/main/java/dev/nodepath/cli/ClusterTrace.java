package dev.nodepath.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.emulator.cluster.StatusFile;
import dev.nodepath.emulator.enclosure.Enclosure;
import dev.nodepath.emulator.walk.NamedWalk;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.ApiClient;
import dev.nodepath.endpoints.source.kubernetes.ApiException;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.BodyStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** {@code nodepath trace FROM TO} on the running cluster: asks its API server for the objects. */
final class ClusterTrace {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final List<String> LISTS = List.of(
            "/api/v1/nodes",
            "/api/v1/pods",
            "/api/v1/services",
            "/apis/discovery.k8s.io/v1/endpointslices",
            "/apis/networking.k8s.io/v1/servicecidrs",
            "/apis/networking.k8s.io/v1/networkpolicies",
            "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies",
            "/api/v1/namespaces");

    private ClusterTrace() {}

    /**
     * The way of a packet, as the command prints it.
     *
     * @param json whether it is for programs
     * @throws CommandException if no cluster runs, or a name means nothing in it
     */
    static String of(ClusterName name, String from, String to, boolean json)
            throws CommandException, IOException, InterruptedException {
        ClusterFiles files = ClusterFiles.of(name);
        ClusterRecord record = files.requireRunning();
        try {
            return NamedWalk.of(proxies(record), ManifestReader.check(objects(files.kubeconfig())), from, to, json);
        } catch (SourceException | GeneralSecurityException e) {
            throw CommandException.failed("objects of the running cluster: " + e.getMessage());
        }
    }

    private static RunningProxies proxies(ClusterRecord record) throws IOException {
        Path file = record.inside(Enclosure.RUN.resolve(StatusFile.JSON));
        JsonNode status = new ObjectMapper().readTree(Files.readString(file));
        Map<String, String> modes = new TreeMap<>();
        Set<String> ended = new TreeSet<>();
        Set<String> cut = new TreeSet<>();
        for (JsonNode node : status.path("nodes")) {
            modes.put(node.path("name").asText(), node.path("mode").asText());
            if (!node.path("agent").asText().equals("runs")) {
                ended.add(node.path("name").asText());
            }
            if (node.path("agent").asText().equals("no power")) {
                cut.add(node.path("name").asText());
            }
        }
        return RunningProxies.of(modes, ended, status.path("keepsClientAddress").asBoolean())
                .without(cut);
    }

    private static List<ManifestObject> objects(Path kubeconfig)
            throws SourceException, GeneralSecurityException, IOException, InterruptedException, ManifestException {
        List<ManifestObject> objects = new ArrayList<>();
        ApiServerAccess access = ApiServerAccess.kubeconfig(kubeconfig, Optional.empty());
        try (ApiClient client = new ApiClient(access, ANSWER_MAX)) {
            for (String list : LISTS) {
                try (BodyStream body = client.get(list, ANSWER_MAX)) {
                    String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                    objects.addAll(ManifestReader.objects(Path.of(list), text));
                } catch (ApiException e) {
                    // The user may have deleted the CustomResourceDefinition.
                    if (!e.isNotFound()) {
                        throw e;
                    }
                }
            }
        }
        return objects;
    }
}
