package dev.nodepath.agent.install;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** This process's copies of the files that the plugin needs on a node. */
public final class PluginFiles {
    /** The plugin's executable; also the type in the network's configuration. */
    public static final String PLUGIN = "nodepath-bridge";

    /** The launcher that the client execs if no agent answers. */
    public static final String FALLBACK = PLUGIN + "-jvm";

    /** Places in a version's folder. */
    static final Path FALLBACK_SCRIPT = Path.of("bin", FALLBACK);

    static final Path ARCHIVE_SCRIPT = Path.of("bin", "archive");
    static final Path LIB = Path.of("lib");
    static final Path RUNTIME = Path.of("jre");

    /** The jars, and the list of classes for the class-data archive. */
    private static final Pattern LIBRARIES =
            Pattern.compile("(cni-bridge|linux-net|jackson-core|jnr|jffi|asm)-.*\\.jar|nodepath-bridge\\.classes");

    /** Parts of a whole JDK that no program needs to run. */
    private static final Pattern SPARE = Pattern.compile("(jmods|include|man|demo|legal|sample)(/.*)?|lib/src\\.zip");

    private static final int DIGEST_CHARS = 12;
    private static final int CONTENT_BYTES_MAX = 4 << 20;

    private final NavigableMap<Path, Path> files;
    private final Path runtime;

    private PluginFiles(NavigableMap<Path, Path> files, Path runtime) {
        this.files = files;
        this.runtime = runtime;
    }

    /**
     * Finds the plugin's files in an installed image, or in a built checkout.
     *
     * @param scripts the folder of the script that started this process
     * @param runtime the Java that this process runs on
     * @throws IOException if a file is missing
     */
    public static PluginFiles of(Path scripts, Path runtime) throws IOException {
        Path home = scripts.toAbsolutePath().normalize().resolveSibling(".").normalize();
        boolean installed = Files.isDirectory(home.resolve("lib"));
        Path built = installed ? home : home.resolve("target");
        NavigableMap<Path, Path> files = new TreeMap<>();
        files.put(Path.of("bin", PLUGIN), existing(built.resolve("bin").resolve(PLUGIN)));
        files.put(FALLBACK_SCRIPT, existing(scripts.resolve(installed ? FALLBACK : PLUGIN)));
        files.put(ARCHIVE_SCRIPT, existing(scripts.resolve("archive")));
        Path lib = existing(built.resolve("lib"));
        try (Stream<Path> jars = Files.list(lib)) {
            jars.filter(jar -> LIBRARIES.matcher(jar.getFileName().toString()).matches())
                    .forEach(jar -> files.put(LIB.resolve(jar.getFileName()), jar));
        }
        Path natives = existing(lib.resolve("native").resolve("jni"));
        try (Stream<Path> libraries = Files.walk(natives)) {
            libraries
                    .filter(Files::isRegularFile)
                    .forEach(library -> files.put(LIB.resolve(lib.relativize(library)), library));
        }
        return new PluginFiles(files, existing(runtime));
    }

    /** The program that the runtime execs. */
    Path client() throws IOException {
        return file(Path.of("bin", PLUGIN));
    }

    /** Whether that program is the JVM's launcher and not the client, as in a build without a C compiler. */
    boolean isClientLauncher() throws IOException {
        return Files.mismatch(client(), file(FALLBACK_SCRIPT)) < 0;
    }

    /** Everything but the Java runtime, by its place in a version's folder. */
    Map<Path, Path> files() {
        return Map.copyOf(files);
    }

    /** Whether it is a whole JDK, as on a developer's machine, and not an image's reduced runtime. */
    boolean isWholeJdk() {
        return Files.exists(runtime.resolve("bin").resolve("javac"));
    }

    /** The Java runtime. */
    Path runtime() {
        return runtime;
    }

    /** The files of the Java runtime by their place in a version's folder. */
    NavigableMap<Path, Path> runtimeFiles() throws IOException {
        NavigableMap<Path, Path> found = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(runtime, FileVisitOption.FOLLOW_LINKS)) {
            walk.filter(Files::isRegularFile).forEach(file -> {
                Path relative = runtime.relativize(file);
                if (!SPARE.matcher(relative.toString()).matches()) {
                    found.put(RUNTIME.resolve(relative), file);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
        return found;
    }

    /**
     * A name for these files: the version and their digest. Files of the Java runtime are large, so only their names
     * and sizes count.
     */
    String id(String version, Optional<NavigableMap<Path, Path>> runtimeFiles) throws IOException {
        MessageDigest digest = sha256();
        NavigableMap<Path, Path> all = new TreeMap<>(files);
        all.putAll(runtimeFiles.orElseGet(TreeMap::new));
        for (Map.Entry<Path, Path> file : all.entrySet()) {
            long size = Files.size(file.getValue());
            digest.update((file.getKey() + "\0" + size + "\0").getBytes(StandardCharsets.UTF_8));
            if (size <= CONTENT_BYTES_MAX) {
                digest.update(Files.readAllBytes(file.getValue()));
            }
        }
        if (runtimeFiles.isEmpty()) {
            digest.update(runtime.toString().getBytes(StandardCharsets.UTF_8));
        }
        String plain = version.replaceAll("[^A-Za-z0-9._-]", "");
        return plain + "-" + HexFormat.of().formatHex(digest.digest()).substring(0, DIGEST_CHARS);
    }

    private Path file(Path place) throws IOException {
        return existing(files.getOrDefault(place, place));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    private static Path existing(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(
                    path.toString(), null, "not found (expected: an installed image, or scripts/build)");
        }
        return path;
    }
}
