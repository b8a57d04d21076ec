package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The places that {@code nodepath exec} can enter: a script for each host and each container.
 *
 * <pre>
 * hosts/n1                       enters a node's network namespace, to which networks/n1 leads
 * pods/default/web-1/server      enters a container
 * pods/default/web-1/_first      enters the Pod's first container
 * </pre>
 */
public final class Places {
    /** The name below the cluster's folder. */
    public static final String FOLDER = "places";
    /** The script of a Pod's first container; no container has this name. */
    public static final String FIRST = "_first";

    private final Path folder;

    /** The places below a cluster's folder. */
    public Places(Path clusterFolder) {
        this.folder = clusterFolder.resolve(FOLDER);
    }

    /** The folder of all scripts. */
    public Path folder() {
        return folder;
    }

    /**
     * The script of a place.
     *
     * @param name of a host, of a Pod in {@code default}, or {@code NAMESPACE/POD}
     * @param container empty for a host, or for the Pod's first container
     */
    public Optional<Path> find(String name, Optional<String> container) {
        if (name.isEmpty()
                || name.contains("..")
                || name.startsWith("/")
                || container.orElse("").contains("/")) {
            return Optional.empty();
        }
        Path host = hosts().resolve(name);
        Path pod = pods().resolve(name.contains("/") ? name : "default/" + name).resolve(container.orElse(FIRST));
        return container.isEmpty() && Files.isRegularFile(host)
                ? Optional.of(host)
                : Optional.of(pod).filter(script -> Files.exists(script, LinkOption.NOFOLLOW_LINKS));
    }

    /** The name of a Pod's first container; empty if there is no such Pod now. */
    public Optional<String> firstContainer(String name) throws IOException {
        Optional<Path> script = find(name, Optional.of(FIRST));
        if (script.isEmpty()) {
            return Optional.empty();
        }
        // .../CONTAINER/enter
        Path target = Files.readSymbolicLink(script.get());
        return Optional.of(target.getName(target.getNameCount() - 2).toString());
    }

    /** The names of a Pod's containers; none if there is no such Pod now. */
    public List<String> containers(String name) {
        if (find(name, Optional.of(FIRST)).isEmpty()) {
            return List.of();
        }
        return inside(pods().resolve(name.contains("/") ? name : "default/" + name)).stream()
                .filter(each -> !each.equals(FIRST) && !each.startsWith("."))
                .sorted()
                .toList();
    }

    /** The names that {@link #find} accepts. Pods may come and go meanwhile. */
    public List<String> names() {
        List<String> names = new ArrayList<>(inside(hosts()));
        for (String namespace : inside(pods())) {
            for (String pod : inside(pods().resolve(namespace))) {
                names.add(namespace.equals("default") ? pod : namespace + "/" + pod);
            }
        }
        names.sort(null);
        return names;
    }

    /** The names in a folder; none if it is gone. */
    private static List<String> inside(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? List.of() : List.of(names);
    }

    /** The folder of the scripts that enter hosts. */
    public Path hosts() {
        return folder.resolve("hosts");
    }

    private Path pods() {
        return folder.resolve("pods");
    }

    /** Adds a node, the switch, the router or the client. */
    public void addHost(String name, Path namespaceFile) throws IOException {
        EntryScript.writeForHost(
                hosts().resolve(name), folder.resolve("networks").resolve(name), namespaceFile);
    }

    /** Adds the containers of a Pod, with their scripts; the first one is also the Pod's place. */
    synchronized void addPod(ObjectKey pod, List<String> containers, Path podContainers) throws IOException {
        Path ofPod = Files.createDirectories(ofPod(pod));
        for (String container : containers) {
            link(ofPod.resolve(container), podContainers.resolve(container).resolve(EntryScript.NAME));
        }
        if (!containers.isEmpty()) {
            link(ofPod.resolve(FIRST), podContainers.resolve(containers.get(0)).resolve(EntryScript.NAME));
        }
    }

    /** Removes the places that lead to this folder: a Pod of the same name may have places of its own by now. */
    synchronized void removePod(ObjectKey pod, Path podContainers) throws IOException {
        Path ofPod = ofPod(pod);
        if (!Files.exists(ofPod)) {
            return;
        }
        boolean empty = true;
        try (DirectoryStream<Path> links = Files.newDirectoryStream(ofPod)) {
            for (Path link : links) {
                boolean its = Files.readSymbolicLink(link).startsWith(podContainers);
                empty &= its;
                if (its) {
                    Files.delete(link);
                }
            }
        }
        if (empty) {
            Files.delete(ofPod);
        }
    }

    private Path ofPod(ObjectKey pod) {
        return pods().resolve(pod.namespace()).resolve(pod.name());
    }

    private static void link(Path link, Path target) throws IOException {
        Path made = link.resolveSibling("." + link.getFileName());
        Files.deleteIfExists(made);
        Files.createSymbolicLink(made, target);
        Files.move(made, link, StandardCopyOption.ATOMIC_MOVE);
    }
}
