package dev.nodepath.agent.install;

import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Installs the plugin on the node: a folder for each version, the link {@code current} to the one in use, the client in
 * the runtime's folder (or a link if no client was compiled) and next to it a link to the launcher. Each step is
 * atomic, so the installation may stop after any step. Running calls keep the files they started with.
 */
public final class PluginInstallation {
    /** How long a version is kept after another took its place: a call lasts two minutes at most. */
    static final Duration KEPT = Duration.ofMinutes(10);

    private static final String CURRENT = "current";
    private static final String STAGING = ".nodepath-staging-";
    private static final Pattern VERSION = Pattern.compile(".+-[0-9a-f]{12}");

    private final HostFolders folders;
    private final PluginFiles files;
    private final String version;
    private final InstantSource clock;

    /** An installation of this version. */
    public PluginInstallation(HostFolders folders, PluginFiles files, String version, InstantSource clock) {
        this.folders = folders;
        this.files = files;
        this.version = version;
        this.clock = clock;
    }

    /**
     * The result of an installation.
     *
     * @param version the version's folder at the node's own path
     * @param changed whether another version was in use before
     */
    public record Installed(Path version, boolean changed) {}

    /**
     * Installs this version and switches to it, if needed.
     *
     * @throws IOException if it is not; the message names the option and the folder
     */
    public Installed install() throws IOException {
        Path install = folders.here(folders.install());
        boolean changed;
        Path target;
        try {
            Optional<NavigableMap<Path, Path>> runtime =
                    isRuntimeLinked() ? Optional.empty() : Optional.of(files.runtimeFiles());
            String id = files.id(version, runtime);
            NavigableMap<Path, Path> wanted = new TreeMap<>(files.files());
            runtime.ifPresent(wanted::putAll);
            SharedFolder.make(install);
            target = folders.install().resolve(id);
            if (!isComplete(install.resolve(id), wanted)) {
                put(install, id, wanted);
            }
            changed = use(install, id);
            prune(install, id);
        } catch (IOException e) {
            throw FileSteps.problem("--install-dir", install, e);
        }
        Path bin = folders.here(folders.bin());
        try {
            SharedFolder.make(bin);
            putClient(bin.resolve(PluginFiles.PLUGIN));
            FileSteps.replaceLink(bin.resolve(PluginFiles.FALLBACK), fallback());
        } catch (IOException e) {
            throw FileSteps.problem("--cni-bin-dir", bin, e);
        }
        return new Installed(target, changed);
    }

    /** The launcher finds Java and jars relative to its real path, so it is linked and never copied. */
    private void putClient(Path client) throws IOException {
        if (files.isClientLauncher()) {
            FileSteps.replaceLink(client, fallback());
        } else if (!Files.isRegularFile(client, LinkOption.NOFOLLOW_LINKS)
                || Files.mismatch(client, files.client()) >= 0) {
            FileSteps.replaceProgram(files.client(), client);
        }
    }

    private Path fallback() {
        return folders.install().resolve(CURRENT).resolve(PluginFiles.FALLBACK_SCRIPT);
    }

    /** A JDK is ten times as large as everything else, and the plugin can use it in place. */
    private boolean isRuntimeLinked() {
        return folders.isOwn() && files.isWholeJdk();
    }

    /** Whether all files exist with their sizes; after a power cut they may not. */
    private boolean isComplete(Path folder, Map<Path, Path> wanted) throws IOException {
        for (Map.Entry<Path, Path> file : wanted.entrySet()) {
            Path there = folder.resolve(file.getKey());
            if (!Files.isRegularFile(there) || Files.size(there) != Files.size(file.getValue())) {
                return false;
            }
        }
        return Files.exists(folder.resolve(PluginFiles.RUNTIME));
    }

    private void put(Path install, String id, Map<Path, Path> wanted) throws IOException {
        Path staging = install.resolve(STAGING + id);
        FileSteps.deleteTree(staging);
        for (Map.Entry<Path, Path> file : wanted.entrySet()) {
            FileSteps.copy(file.getValue(), staging.resolve(file.getKey()));
        }
        if (isRuntimeLinked()) {
            FileSteps.replaceLink(staging.resolve(PluginFiles.RUNTIME), files.runtime());
        }
        FileSteps.deleteTree(install.resolve(id)); // incomplete
        FileSteps.move(staging, install.resolve(id));
    }

    /** Whether another version was in use; its folder gets the time of its replacement. */
    private boolean use(Path install, String id) throws IOException {
        Path link = install.resolve(CURRENT);
        Path before = Files.isSymbolicLink(link) ? Files.readSymbolicLink(link).getFileName() : null;
        if (before != null && before.toString().equals(id)) {
            return false;
        }
        if (before != null && Files.isDirectory(install.resolve(before))) {
            Files.setLastModifiedTime(install.resolve(before), FileTime.from(clock.instant()));
        }
        FileSteps.replaceLink(link, Path.of(id));
        return true;
    }

    /** Other programs' folders are never deleted, wherever the option points to. */
    private static boolean isVersion(Path folder) {
        return VERSION.matcher(folder.getFileName().toString()).matches()
                && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.exists(folder.resolve(PluginFiles.FALLBACK_SCRIPT));
    }

    /** Removes every version. An interrupted removal is recognized by the folder's name. */
    static void removeAll(Path install) throws IOException {
        FileSteps.delete(install.resolve(CURRENT));
        List<Path> all;
        try (Stream<Path> versions = Files.list(install)) {
            all = versions.toList();
        }
        for (Path folder : all) {
            if (isVersion(folder)) {
                Path leaving = install.resolve(STAGING + folder.getFileName());
                FileSteps.deleteTree(leaving);
                FileSteps.move(folder, leaving);
                FileSteps.deleteTree(leaving);
            } else if (folder.getFileName().toString().startsWith(STAGING)) {
                FileSteps.deleteTree(folder);
            }
        }
    }

    private void prune(Path install, String id) throws IOException {
        Instant kept = clock.instant().minus(KEPT);
        List<Path> old = new ArrayList<>();
        try (Stream<Path> versions = Files.list(install)) {
            for (Path folder : versions.toList()) {
                String name = folder.getFileName().toString();
                boolean replaced = isVersion(folder)
                        && !name.equals(id)
                        && Files.getLastModifiedTime(folder).toInstant().isBefore(kept);
                if (replaced || name.startsWith(STAGING)) {
                    old.add(folder);
                }
            }
        }
        for (Path folder : old) {
            FileSteps.deleteTree(folder);
        }
    }
}
