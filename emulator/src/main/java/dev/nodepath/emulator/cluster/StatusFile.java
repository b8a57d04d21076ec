package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.options.ProxyMode;
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
    private final ProxyMode mode;
    private String written = "";

    /** The status of a cluster whose agents run in this mode. */
    public StatusFile(Cluster cluster, ProxyMode mode) {
        this.cluster = cluster;
        this.mode = mode;
    }

    /** Writes the files if anything changed. */
    public void update() throws IOException {
        ClusterStatus status = ClusterStatus.of(cluster, mode);
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
