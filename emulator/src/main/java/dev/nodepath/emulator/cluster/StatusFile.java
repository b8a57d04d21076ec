package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Keeps what {@code nodepath status} prints up to date in two files, as text and as JSON. */
public final class StatusFile {
    /** The text's path below the cluster's folder. */
    public static final String TEXT = "status";
    /** The JSON's path below the cluster's folder. */
    public static final String JSON = "status.json";

    private final Cluster cluster;
    private String written = "";

    /** The status of a cluster. */
    public StatusFile(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Writes the files if anything changed. */
    public void update() throws IOException {
        ClusterStatus status = ClusterStatus.of(cluster);
        String json = status.json();
        if (!json.equals(written)) {
            replace(JSON, json);
            replace(TEXT, status.text());
            written = json;
        }
    }

    private void replace(String name, String content) throws IOException {
        Path temporary = cluster.folder().resolve("." + name);
        Files.writeString(temporary, content);
        Files.move(temporary, cluster.folder().resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }
}
