package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.validation.Quantities;
import dev.nodepath.controllers.object.PodSpec;
import dev.nodepath.linux.io.Descriptor;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** The volumes of a Pod as folders: ConfigMaps, Secrets, fields of the Pod, its tokens, and empty ones. */
final class PodVolumes {
    private static final Path ROOT = Path.of("/");
    private static final Path WHOLE = Path.of("");
    private static final long HOST_FILE_BYTES_MAX = 16L << 20;

    /** The copy of a hostPath that is a file. */
    private static final Path FILE = Path.of(".file");
    /** Volumes that a kubelet writes. Containers only read them. */
    private static final List<String> WRITTEN = List.of("configMap", "secret", "downwardAPI", "projected");

    /** The size of an empty volume without {@code sizeLimit}. */
    private static final BigDecimal EMPTY_BYTES_MAX = BigDecimal.valueOf(512L * 1024 * 1024);

    /** The mode of files if neither volume nor item gives one: 0644. */
    private static final int MODE = 0x1a4;

    private final Path folder;
    private final ClaimFolders claims;
    private final PodEnvironment environment;
    private final PodTokens tokens;
    private final Set<String> empty = new HashSet<>();
    private final Set<String> hostFiles = new HashSet<>();

    PodVolumes(Path folder, ClaimFolders claims, PodEnvironment environment, PodTokens tokens) {
        this.folder = folder;
        this.claims = claims;
        this.environment = environment;
        this.tokens = tokens;
    }

    /**
     * The place of a Pod's file or folder in a container.
     *
     * @param source on this machine
     * @param part of the source; the empty path is all of it
     * @param path in the container, from its root on
     * @param readOnly whether it cannot be written
     */
    record Mount(Path source, Path part, String path, boolean readOnly) {
        /** All of a file or folder. */
        static Mount of(Path source, String path, boolean readOnly) {
            return new Mount(source, WHOLE, path, readOnly);
        }

        boolean isWhole() {
            return part.equals(WHOLE);
        }

        /** Opens the mounted part; an absent one is made. */
        Descriptor open() throws IOException {
            return VolumePath.open(source, part, true);
        }

        /** Whether another mount lies in this one. */
        boolean isAround(Mount other) {
            Path inside = Path.of(other.path());
            return inside.startsWith(Path.of(path)) && !inside.equals(Path.of(path));
        }

        /** The same source at another path. */
        Mount at(Path other) {
            return new Mount(source, part, other.toString(), readOnly);
        }

        /** Whether this mount has room for a mount at a path. */
        boolean hasPlace(String other) {
            return !readOnly
                    || !Path.of(other).startsWith(Path.of(path))
                    || Files.exists(source.resolve(part).resolve(Path.of(path).relativize(Path.of(other))));
        }
    }

    /** A file of a volume, with its permissions. */
    private record VolumeFile(ByteBuffer content, int mode) {
        static VolumeFile of(String text, int mode) {
            return new VolumeFile(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), mode);
        }
    }

    /**
     * Writes every volume of the Pod with the present content of its sources. A changed file is replaced as a whole: a
     * reader sees the old or the new one.
     *
     * @throws MissingReferenceException if a source is absent and not optional; in a kubelet's words
     */
    synchronized void write(ObjectNode pod) throws IOException, MissingReferenceException {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            String name = volume.path("name").asText();
            Path root = folder.resolve(name);
            try {
                Optional<String> claim = PodSpec.claim(pod, volume);
                if (claim.isPresent()) {
                    link(root, environment.claim(claims, pod, volume, claim.get()));
                    continue;
                }
                Files.createDirectories(root);
                if (!isWritten(volume)) {
                    continue;
                }
                replace(root, files(pod, volume));
            } catch (MissingReferenceException e) {
                throw notSetUp(name, String.valueOf(e.getMessage()));
            }
        }
    }

    /** A claim's folder is shared and outlives the Pod: the Pod has a link to it. */
    private void link(Path place, Path target) throws IOException {
        Files.createDirectories(folder);
        if (!Files.isSymbolicLink(place)) {
            Files.createSymbolicLink(place, target);
        }
    }

    /**
     * Makes the volumes that containers fill, once for the Pod: each in memory, with its limit. Volumes of unsupported
     * kinds are empty, too. Call it only in an enclosure: it mounts them.
     */
    synchronized void makeEmpty(ObjectNode pod) throws IOException, MissingReferenceException {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            String name = volume.path("name").asText();
            if (!isWritten(volume) && PodSpec.claim(pod, volume).isEmpty() && !empty.contains(name)) {
                Optional<Path> file = hostFile(volume);
                MemoryFolder.make(
                        folder.resolve(name), "mode=777," + MemoryFolder.size(limit(pod, volume.path("emptyDir"))));
                if (file.isPresent()) {
                    Files.copy(file.get(), folder.resolve(name).resolve(FILE));
                    hostFiles.add(name);
                }
                empty.add(name);
            }
        }
    }

    /**
     * A copy of the machine's file that a hostPath names. Containers write to the copy, and never to the file. Files
     * directly in the machine's root are left out, as in containers.
     *
     * @throws MissingReferenceException if it cannot be copied
     */
    private static Optional<Path> hostFile(JsonNode volume) throws IOException, MissingReferenceException {
        String text = volume.path("hostPath").path("path").asText("");
        Path path;
        try {
            path = Path.of(text).normalize();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
        if (!path.isAbsolute()
                || path.getNameCount() < 2
                || !Files.isRegularFile(path)
                || ContainerPaths.isOwn(path.toRealPath())) {
            return Optional.empty();
        }
        if (!Files.isReadable(path) || Files.size(path) > HOST_FILE_BYTES_MAX) {
            throw notSetUp(
                    volume.path("name").asText(),
                    "hostPath.path: " + text + " (expected: a file that the cluster may read, of at most 16 MiB)");
        }
        return Optional.of(path);
    }

    private static MissingReferenceException notSetUp(String volume, String why) {
        return new MissingReferenceException("MountVolume.SetUp failed for volume \"" + volume + "\" : " + why);
    }

    /**
     * The size limit of an emptyDir, as a manifest may ask for more than the machine has. As in Kubernetes, a volume
     * in memory is no larger than the Pod's memory.
     */
    private static BigDecimal limit(ObjectNode pod, JsonNode emptyDir) {
        BigDecimal limit = Quantities.parse(emptyDir.path("sizeLimit").asText(""))
                .filter(size -> size.signum() > 0)
                .orElse(EMPTY_BYTES_MAX)
                .min(MemoryFolder.BYTES_MAX);
        OptionalLong memory =
                emptyDir.path("medium").asText().equals("Memory") ? ContainerLimits.memory(pod) : OptionalLong.empty();
        return memory.isPresent() ? limit.min(BigDecimal.valueOf(memory.getAsLong())) : limit;
    }

    /** Whether a kubelet writes a volume and containers only read it. */
    private static boolean isWritten(JsonNode volume) {
        return WRITTEN.stream().anyMatch(volume::has);
    }

    private static boolean isReadOnly(JsonNode volume) {
        return isWritten(volume)
                || volume.path("persistentVolumeClaim").path("readOnly").asBoolean(false);
    }

    private void replace(Path root, Map<String, VolumeFile> files) throws IOException {
        Set<Path> kept = new HashSet<>();
        for (Map.Entry<String, VolumeFile> file : files.entrySet()) {
            Path target = root.resolve(file.getKey()).normalize();
            if (target.startsWith(root) && !target.equals(root)) {
                kept.add(target);
                replace(target, file.getValue());
            }
        }
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.filter(Files::isRegularFile).toList()) {
                if (!kept.contains(each)) {
                    Files.delete(each);
                }
            }
        }
    }

    private void replace(Path target, VolumeFile file) throws IOException {
        if (!Files.exists(target)
                || !ByteBuffer.wrap(Files.readAllBytes(target)).equals(file.content())) {
            Path made = folder.resolve(".new");
            Files.write(made, file.content().array());
            Files.createDirectories(target.getParent());
            Files.move(made, target, StandardCopyOption.REPLACE_EXISTING);
        }
        Files.setPosixFilePermissions(target, permissions(file.mode()));
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        PosixFilePermission[] all = PosixFilePermission.values();
        for (int bit = 0; bit < all.length; bit++) {
            if ((mode & (1 << (all.length - 1 - bit))) != 0) {
                permissions.add(all[bit]);
            }
        }
        return permissions;
    }

    /**
     * The mounts of a container.
     *
     * @param variables of the container, for {@code subPathExpr}
     * @throws StartException if a {@code subPath} cannot be mounted
     */
    List<Mount> mounts(ObjectNode pod, ContainerSpec container, Map<String, String> variables) throws StartException {
        List<Mount> mounts = new ArrayList<>();
        for (JsonNode mount : container.json().path("volumeMounts")) {
            String name = mount.path("name").asText();
            String part = mount.path("subPath")
                    .asText(PodEnvironment.expand(mount.path("subPathExpr").asText(""), variables));
            mounts.add(new Mount(
                    folder.resolve(name),
                    hostFiles.contains(name) && part.isEmpty() ? FILE : part(container, name, part),
                    ROOT.resolve(mount.path("mountPath").asText()).normalize().toString(),
                    mount.path("readOnly").asBoolean(false) || isReadOnly(volume(pod, name))));
        }
        return mounts;
    }

    /** An absent one is made. */
    private Path part(ContainerSpec container, String volume, String text) throws StartException {
        Path part = Path.of(text).normalize();
        try {
            VolumePath.open(folder.resolve(volume), part, true).close();
            return part;
        } catch (IOException e) {
            throw new StartException(
                    "CreateContainerConfigError",
                    "failed to prepare subPath for volumeMount \"" + volume + "\" of container \"" + container.name()
                            + "\": " + e.getMessage());
        }
    }

    private static JsonNode volume(ObjectNode pod, String name) {
        for (JsonNode volume : pod.path("spec").path("volumes")) {
            if (volume.path("name").asText().equals(name)) {
                return volume;
            }
        }
        return MissingNode.getInstance();
    }

    private Map<String, VolumeFile> files(ObjectNode pod, JsonNode volume) throws MissingReferenceException {
        if (!volume.has("projected")) {
            String kind = WRITTEN.stream().filter(volume::has).findFirst().orElseThrow();
            return source(pod, volume, volume.path(kind).path("defaultMode").asInt(MODE));
        }
        JsonNode projected = volume.path("projected");
        Map<String, VolumeFile> files = new LinkedHashMap<>();
        for (JsonNode source : projected.path("sources")) {
            files.putAll(source(pod, source, projected.path("defaultMode").asInt(MODE)));
        }
        return files;
    }

    private Map<String, VolumeFile> source(ObjectNode pod, JsonNode source, int mode) throws MissingReferenceException {
        String namespace = ObjectKey.of(pod).namespace();
        if (source.has("configMap")) {
            JsonNode map = source.path("configMap");
            return data(namespace, Resources.CONFIG_MAPS, map.path("name").asText(), map, mode);
        }
        if (source.has("secret")) {
            JsonNode secret = source.path("secret");
            String name = secret.path("secretName").asText(secret.path("name").asText());
            return data(namespace, Resources.SECRETS, name, secret, mode);
        }
        if (source.has("serviceAccountToken")) {
            JsonNode token = source.path("serviceAccountToken");
            return Map.of(token.path("path").asText(), VolumeFile.of(tokens.text(pod, token), mode));
        }
        Map<String, VolumeFile> files = new LinkedHashMap<>();
        for (JsonNode item : source.path("downwardAPI").path("items")) {
            String field = item.has("resourceFieldRef")
                    ? environment.resource(pod, item.path("resourceFieldRef"), "")
                    : PodEnvironment.field(
                            pod, item.path("fieldRef").path("fieldPath").asText());
            files.put(
                    item.path("path").asText(),
                    VolumeFile.of(field, item.path("mode").asInt(mode)));
        }
        return files;
    }

    /** All keys under their own names, or the keys of {@code items} under the paths given there. */
    private Map<String, VolumeFile> data(String namespace, Resource resource, String name, JsonNode source, int mode)
            throws MissingReferenceException {
        boolean optional = source.path("optional").asBoolean(false);
        Map<String, byte[]> data = environment.data(namespace, resource, name, optional);
        Map<String, VolumeFile> chosen = new LinkedHashMap<>();
        if (!source.has("items")) {
            data.forEach((key, value) -> chosen.put(key, new VolumeFile(ByteBuffer.wrap(value), mode)));
            return chosen;
        }
        for (JsonNode item : source.path("items")) {
            String key = item.path("key").asText();
            byte[] value = data.get(key);
            if (value == null && !optional) {
                throw new MissingReferenceException("references non-existent config key: " + key);
            }
            if (value != null) {
                chosen.put(
                        item.path("path").asText(),
                        new VolumeFile(ByteBuffer.wrap(value), item.path("mode").asInt(mode)));
            }
        }
        return chosen;
    }
}
