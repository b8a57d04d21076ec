package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.source.manifests.ManifestFile.Version;
import dev.nodepath.endpoints.source.objects.SkippedObjects;
import dev.nodepath.endpoints.tracker.ClusterObjects;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.Service;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All manifest files. Each has at most one version in force. An object is in at most one of these versions. Not
 * thread-safe.
 */
final class ManifestSet {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestSource.class);

    private final Clock clock;
    /** The paths of the command line. The value says whether the path was a folder at the start. */
    private final Map<Path, Boolean> folders = new LinkedHashMap<>();

    private final Map<Path, ManifestFile> files = new TreeMap<>();
    /** Folders that cannot be listed now. The value is the logged reason. */
    private final Map<Path, String> lostFolders = new HashMap<>();

    private final SkippedObjects skipped;

    private ManifestSet(Clock clock, SkippedObjects skipped) {
        this.clock = clock;
        this.skipped = skipped;
    }

    /**
     * Reads all files for the first time.
     *
     * @param skipped gets the problems of objects in the versions in force
     * @throws ManifestException if a whole file is unusable
     */
    static ManifestSet load(List<Path> paths, Clock clock, SkippedObjects skipped) throws ManifestException {
        ManifestSet set = new ManifestSet(clock, skipped);
        for (Path path : paths) {
            if (!Files.exists(path)) {
                throw new ManifestException(path, "no such file or folder");
            }
            set.folders.put(path, Files.isDirectory(path));
        }
        set.look();
        for (Map.Entry<Path, String> lost : set.lostFolders.entrySet()) {
            throw new ManifestException(lost.getKey(), lost.getValue());
        }
        for (ManifestFile file : set.files.values()) {
            if (file.problem() != null) {
                throw file.problem();
            }
        }
        set.files.values().forEach(file -> file.accept(skipped));
        return set;
    }

    /**
     * Reads the changed files. An invalid file is logged once; its earlier version stays in force.
     *
     * @return whether the objects in force have changed
     */
    boolean refresh() {
        boolean changed = look();
        for (ManifestFile file : files.values()) {
            changed |= file.accept(skipped);
            file.report();
        }
        if (changed) {
            skipped.retain(badPlaces());
        }
        return changed;
    }

    private Set<Object> badPlaces() {
        Set<Object> places = new HashSet<>();
        for (ManifestFile file : files.values()) {
            Version version = file.inForce();
            if (version != null) {
                version.bad().forEach(bad -> places.add(bad.place()));
            }
        }
        return places;
    }

    /** The objects of all versions in force. */
    ClusterObjects inForce() {
        List<Service> services = new ArrayList<>();
        List<EndpointSlice> slices = new ArrayList<>();
        List<NodeInfo> nodes = new ArrayList<>();
        List<ServiceCidr> ranges = new ArrayList<>();
        for (ManifestFile file : files.values()) {
            Version version = file.inForce();
            if (version != null) {
                services.addAll(version.cluster().services());
                slices.addAll(version.cluster().slices());
                nodes.addAll(version.cluster().nodes());
                ranges.addAll(version.cluster().serviceCidrs());
            }
        }
        return new ClusterObjects(services, slices, nodes, ranges);
    }

    /** Reads every file and chooses its next version. Returns whether a file with a version in force is gone. */
    private boolean look() {
        Set<Path> there = new HashSet<>();
        for (Map.Entry<Path, Path> entry : list().entrySet()) {
            ManifestFile file = files.computeIfAbsent(entry.getKey(), key -> new ManifestFile(entry.getValue(), clock));
            if (file.look()) {
                there.add(entry.getKey());
            }
        }
        files.forEach((key, file) -> {
            if (lostFolders.containsKey(file.file().getParent())) {
                there.add(key);
            }
        });
        boolean gone = files.entrySet().stream()
                .anyMatch(entry ->
                        !there.contains(entry.getKey()) && entry.getValue().inForce() != null);
        files.keySet().retainAll(there);
        Optional<Clash> clash = findClash();
        while (clash.isPresent()) {
            clash.get().refuse();
            clash = findClash();
        }
        return gone;
    }

    /** The files to read. The key is the absolute path, the value the path as it was given. */
    private Map<Path, Path> list() {
        Map<Path, Path> found = new LinkedHashMap<>();
        folders.forEach((path, isFolder) -> {
            for (Path file : isFolder ? listFolder(path) : List.of(path)) {
                found.putIfAbsent(file.toAbsolutePath().normalize(), file);
            }
        });
        return found;
    }

    /** The manifests of a folder. Empty if the folder cannot be listed; its versions in force then stay. */
    private List<Path> listFolder(Path folder) {
        String problem;
        try {
            if (Files.isDirectory(folder)) {
                List<Path> found = ManifestFiles.list(folder);
                if (lostFolders.remove(folder) != null) {
                    LOG.atInfo().addKeyValue("file", folder).log("manifest.accepted");
                }
                return found;
            }
            problem = "no such folder";
        } catch (ManifestException e) {
            problem = e.reason();
        }
        if (!Objects.equals(lostFolders.put(folder, problem), problem)) {
            LOG.atWarn()
                    .addKeyValue("file", folder)
                    .addKeyValue("reason", problem)
                    .log("manifest.rejected");
        }
        return List.of();
    }

    /** Two files that have the same object. The newcomer must wait. */
    private record Clash(ManifestFile newcomer, ManifestFile owner, ManifestObject.Key key) {
        void refuse() {
            String object = key.namespace().isEmpty() ? key.name() : key.namespace() + "/" + key.name();
            newcomer.refuse(new ManifestException(
                    newcomer.file(),
                    key.kind() + " " + object + ": already in " + owner.file() + " (expected: each object once)"));
        }
    }

    /**
     * Finds an object that two next versions have. At least one of these versions is new, because versions in force
     * share no object. The caller replaces a refused version by the one in force, so the search ends.
     */
    private Optional<Clash> findClash() {
        if (files.values().stream().noneMatch(ManifestFile::isNew)) {
            return Optional.empty();
        }
        Map<ManifestObject.Key, ManifestFile> owners = new HashMap<>();
        for (ManifestFile file : files.values()) {
            @Nullable Version next = file.next();
            for (ManifestObject.Key key : next == null ? Set.<ManifestObject.Key>of() : next.keys()) {
                ManifestFile owner = owners.putIfAbsent(key, file);
                if (owner != null) {
                    return Optional.of(file.isNew() ? new Clash(file, owner, key) : new Clash(owner, file, key));
                }
            }
        }
        return Optional.empty();
    }
}
