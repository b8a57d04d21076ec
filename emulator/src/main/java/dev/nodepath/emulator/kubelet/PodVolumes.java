package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The volumes of a Pod as folders: ConfigMaps, Secrets, fields of the Pod, and empty ones. */
final class PodVolumes {
    private static final Path ROOT = Path.of("/");

    private final Path folder;
    private final PodEnvironment environment;

    PodVolumes(Path folder, PodEnvironment environment) {
        this.folder = folder;
        this.environment = environment;
    }

    /**
     * Where a container sees a file or folder of the Pod.
     *
     * @param source on this machine
     * @param path in the container, from its root on
     * @param readOnly whether it cannot be written
     */
    record Mount(Path source, String path, boolean readOnly) {}

    /** Writes every volume of the Pod. */
    void write(ObjectNode pod) throws IOException, MissingReferenceException {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            Path root =
                    Files.createDirectories(folder.resolve(volume.path("name").asText()));
            for (Map.Entry<String, byte[]> file : files(pod, volume).entrySet()) {
                Path target = root.resolve(file.getKey()).normalize();
                if (target.startsWith(root)) {
                    Files.createDirectories(target.getParent());
                    Files.write(target, file.getValue());
                }
            }
        }
    }

    /** The mounts of a container. */
    List<Mount> mounts(ContainerSpec container) {
        List<Mount> mounts = new ArrayList<>();
        for (JsonNode mount : container.json().path("volumeMounts")) {
            Path volume = folder.resolve(mount.path("name").asText());
            String part = mount.path("subPath").asText("");
            mounts.add(new Mount(
                    part.isEmpty() ? volume : volume.resolve(part),
                    ROOT.resolve(mount.path("mountPath").asText()).normalize().toString(),
                    mount.path("readOnly").asBoolean(false)));
        }
        return mounts;
    }

    private Map<String, byte[]> files(ObjectNode pod, JsonNode volume) throws MissingReferenceException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        if (volume.has("projected")) {
            for (JsonNode source : volume.path("projected").path("sources")) {
                files.putAll(source(pod, source));
            }
            return files;
        }
        return source(pod, volume);
    }

    private Map<String, byte[]> source(ObjectNode pod, JsonNode source) throws MissingReferenceException {
        String namespace = ObjectKey.of(pod).namespace();
        if (source.has("configMap")) {
            JsonNode map = source.path("configMap");
            return chosen(
                    map,
                    environment.data(
                            namespace,
                            Resources.CONFIG_MAPS,
                            map.path("name").asText(),
                            map.path("optional").asBoolean(false)));
        }
        if (source.has("secret")) {
            JsonNode secret = source.path("secret");
            return chosen(
                    secret,
                    environment.data(
                            namespace,
                            Resources.SECRETS,
                            secret.path("secretName").asText(secret.path("name").asText()),
                            secret.path("optional").asBoolean(false)));
        }
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (JsonNode item : source.path("downwardAPI").path("items")) {
            String field = PodEnvironment.field(
                    pod, item.path("fieldRef").path("fieldPath").asText());
            files.put(item.path("path").asText(), field.getBytes(StandardCharsets.UTF_8));
        }
        return files;
    }

    /** All keys under their own names, or those of {@code items} under the paths given there. */
    private static Map<String, byte[]> chosen(JsonNode source, Map<String, byte[]> data)
            throws MissingReferenceException {
        if (!source.has("items")) {
            return data;
        }
        Map<String, byte[]> chosen = new LinkedHashMap<>();
        for (JsonNode item : source.path("items")) {
            String key = item.path("key").asText();
            byte[] value = data.get(key);
            if (value == null && !source.path("optional").asBoolean(false)) {
                throw new MissingReferenceException("references non-existent config key: " + key);
            }
            if (value != null) {
                chosen.put(item.path("path").asText(), value);
            }
        }
        return chosen;
    }
}
