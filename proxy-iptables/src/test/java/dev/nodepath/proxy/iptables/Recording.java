package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.sync.RecordedFlags;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The rules that kube-proxy 1.36.2 in iptables mode wrote for one set of objects; see the resource folder {@code
 * recordings}.
 */
record Recording(String name) {
    /** All of them. */
    static Stream<Recording> all() {
        try (Stream<Path> folders = Files.list(path(""))) {
            return folders.map(folder -> new Recording(folder.getFileName().toString())).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ServiceSnapshot snapshot() throws ManifestException {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(ManifestReader.check(ManifestReader.objects(List.of(path(name + "/objects.json"))))
                .cluster());
        return tracker.commit().snapshot();
    }

    IptablesConfig config() throws IOException {
        Path flags = path(name + "/flags");
        IptablesConfig.Draft config = new IptablesConfig.Draft(IptablesConfig.DEFAULTS);
        config.nodeName = "n1";
        config.counters = true;
        config.localhostNodePorts = !Files.readString(flags).contains("--iptables-localhost-nodeports=false");
        RecordedFlags.set(config, flags);
        return config.build();
    }

    /** The tables as they were saved, without mangle, in which there is only a canary. */
    Map<Table, SavedTable> tables(IpFamily family) throws IOException {
        String file = family == IpFamily.IPV4 ? "/iptables-save.txt" : "/ip6tables-save.txt";
        String saved = Files.readString(path(name + file));
        Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
        for (Table table : List.of(Table.FILTER, Table.NAT)) {
            int start = saved.indexOf("*" + table + "\n");
            tables.put(table, SavedTable.parse(saved.substring(start, saved.indexOf("COMMIT", start))));
        }
        return tables;
    }

    @Override
    public String toString() {
        return name;
    }

    private static Path path(String below) {
        URL folder = Objects.requireNonNull(Recording.class.getResource("/recordings"), "recordings");
        try {
            return Path.of(folder.toURI()).resolve(below);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
