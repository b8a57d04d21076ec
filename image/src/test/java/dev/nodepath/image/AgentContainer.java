package dev.nodepath.image;

import com.github.dockerjava.api.model.AccessMode;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PropagationMode;
import com.github.dockerjava.api.model.SELContext;
import com.github.dockerjava.api.model.Volume;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.IsRunningStartupCheckStrategy;

/**
 * The first container of a DaemonSet in scripts/kind as a kubelet would make it on a node: with the manifest's image,
 * command, arguments, environment, mounts and capabilities.
 */
final class AgentContainer {
    private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

    private final Map<String, String> settings;
    private final PodSpec pod;
    private final Container container;

    AgentContainer(DeployManifests manifests) {
        this(manifests, manifests);
    }

    private AgentContainer(DeployManifests manifests, DeployManifests configured) {
        settings = configured.only(ConfigMap.class).getData();
        pod = manifests.only(DaemonSet.class).getSpec().getTemplate().getSpec();
        container = Stream.concat(pod.getInitContainers().stream(), pod.getContainers().stream())
                .findFirst()
                .orElseThrow();
    }

    /** The container of remove.yaml in a cluster with nodepath.yaml. */
    static AgentContainer ofRemoval() throws IOException {
        return new AgentContainer(
                DeployManifests.read(Home.KIND.resolve("remove.yaml")),
                DeployManifests.read(Home.KIND.resolve("nodepath.yaml")));
    }

    /** A start exactly as in the manifest. */
    AgentStart start() {
        return new AgentStart(
                Image.NAME,
                "iptables",
                List.of(),
                container.getSecurityContext().getCapabilities().getAdd());
    }

    /**
     * A container that is not started yet.
     *
     * @param start the differences from the manifest
     * @param nodeName the Node's name
     * @param node the container whose network it shares
     * @param folder has the node's own folders, and "account" with the files of the ServiceAccount
     * @param root the node's whole file system
     */
    GenericContainer<?> on(AgentStart start, String nodeName, GenericContainer<?> node, Path folder, Path root)
            throws IOException {
        List<String> arguments = new ArrayList<>(container.getArgs());
        arguments.addAll(start.arguments());
        List<Bind> binds = new ArrayList<>();
        Map<String, String> memory = new java.util.HashMap<>();
        binds.add(bind(folder.resolve("account"), ACCOUNT, AccessMode.ro, PropagationMode.DEFAULT_MODE));
        for (VolumeMount mount : container.getVolumeMounts()) {
            io.fabric8.kubernetes.api.model.Volume volume = pod.getVolumes().stream()
                    .filter(one -> one.getName().equals(mount.getName()))
                    .findFirst()
                    .orElseThrow();
            if (volume.getEmptyDir() != null) {
                memory.put(mount.getMountPath(), "size=64m");
                continue;
            }
            AccessMode access = Boolean.TRUE.equals(mount.getReadOnly()) ? AccessMode.ro : AccessMode.rw;
            if (volume.getConfigMap() != null) {
                binds.add(bind(config(start, folder), mount.getMountPath(), access, PropagationMode.DEFAULT_MODE));
            } else if (volume.getHostPath().getPath().equals("/")) {
                // Here the root is no shared mount. On a real node its mounts come along.
                binds.add(bind(root, mount.getMountPath(), access, PropagationMode.DEFAULT_MODE));
                for (String mounted : List.of("/proc", "/dev")) {
                    binds.add(bind(
                            Path.of(mounted),
                            mount.getMountPath() + mounted,
                            AccessMode.rw,
                            PropagationMode.DEFAULT_MODE));
                }
            } else {
                PropagationMode propagation = "HostToContainer".equals(mount.getMountPropagation())
                        ? PropagationMode.RSLAVE
                        : PropagationMode.DEFAULT_MODE;
                onNode(root, volume.getHostPath());
                binds.add(bind(onNode(folder, volume.getHostPath()), mount.getMountPath(), access, propagation));
            }
        }
        return new GenericContainer<>(start.image())
                .withNetworkMode("container:" + node.getContainerId())
                .withEnv(environment(nodeName))
                .withCommand(arguments.toArray(String[]::new))
                .withStartupCheckStrategy(new IsRunningStartupCheckStrategy())
                .withCreateContainerCmdModifier(create -> {
                    if (!container.getCommand().isEmpty()) {
                        create.withEntrypoint(container.getCommand());
                    }
                    HostConfig host = Objects.requireNonNull(create.getHostConfig());
                    host.withReadonlyRootfs(container.getSecurityContext().getReadOnlyRootFilesystem())
                            .withCapDrop(Capability.ALL)
                            .withCapAdd(start.capabilities().stream()
                                    .map(Capability::valueOf)
                                    .toArray(Capability[]::new))
                            .withTmpFs(memory)
                            .withBinds(binds);
                });
    }

    private Path config(AgentStart start, Path folder) throws IOException {
        Path config = Files.createDirectories(folder.resolve("config"));
        String text = Objects.requireNonNull(settings.get("config.yaml"));
        Files.writeString(config.resolve("config.yaml"), text.replaceAll("(?m)^mode: .*$", "mode: " + start.mode()));
        return config;
    }

    private Map<String, String> environment(String nodeName) {
        Map<String, String> environment = new java.util.HashMap<>();
        for (EnvVar variable : container.getEnv()) {
            var source = variable.getValueFrom();
            environment.put(
                    variable.getName(),
                    source.getFieldRef() != null
                            ? nodeName
                            : Objects.requireNonNull(
                                    settings.get(source.getConfigMapKeyRef().getKey())));
        }
        return environment;
    }

    /**
     * A file or folder of the node, made if the manifest asks for it: in its folder, and in its root as a mount point.
     */
    private static Path onNode(Path folder, HostPathVolumeSource source) throws IOException {
        Path path = folder.resolve(source.getPath().substring(1));
        String type = source.getType() == null ? "DirectoryOrCreate" : source.getType();
        Set<String> known = new HashSet<>(List.of("DirectoryOrCreate", "FileOrCreate"));
        if (!known.contains(type)) {
            throw new IllegalArgumentException(type);
        }
        Files.createDirectories(Objects.requireNonNull(path.getParent()));
        if (type.equals("FileOrCreate")) {
            if (!Files.exists(path)) {
                Files.createFile(path);
            }
        } else {
            Files.createDirectories(path);
        }
        return path;
    }

    private static Bind bind(Path from, String to, AccessMode access, PropagationMode propagation) {
        return new Bind(from.toString(), new Volume(to), access, SELContext.DEFAULT, null, propagation);
    }
}
