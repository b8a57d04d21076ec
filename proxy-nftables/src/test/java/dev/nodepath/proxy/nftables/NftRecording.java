package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ServiceCidr;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.sync.RecordedFlags;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The rules that kube-proxy 1.36.2 in nftables mode wrote for one set of objects; see the resource folder {@code
 * recordings}.
 */
record NftRecording(String name) {
    /** Those of the server that kube-proxy asked. */
    private static final List<Cidr> SERVICE_CIDRS = List.of(Cidr.parse("10.96.0.0/12"), Cidr.parse("fd00:10:96::/112"));

    /** All of them. */
    static Stream<NftRecording> all() {
        try (Stream<Path> folders = Files.list(path(""))) {
            return folders
                    .map(folder -> new NftRecording(folder.getFileName().toString()))
                    .sorted((a, b) -> a.name.compareTo(b.name))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ServiceSnapshot snapshot() throws ManifestException {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(ManifestReader.check(ManifestReader.objects(List.of(path(name + "/objects.json"))))
                .cluster());
        tracker.put(new ServiceCidr("kubernetes", SERVICE_CIDRS));
        return tracker.commit().snapshot();
    }

    NftablesConfig config() throws IOException {
        NftablesConfig.Draft config = new NftablesConfig.Draft(NftablesConfig.DEFAULTS);
        config.nodeName = "n1";
        RecordedFlags.set(config, path(name + "/flags"));
        return config.build();
    }

    /** The table that we write. */
    NftTableState table(IpFamily family, boolean sharedMaps) throws IOException, ManifestException {
        ServiceSnapshot snapshot = snapshot();
        return NftablesRules.of(snapshot, NftablesContext.of(snapshot, config(), family, sharedMaps));
    }

    /** The table as {@code nft -s list table} printed it. */
    String listing(IpFamily family) throws IOException {
        return Files.readString(path(name + (family == IpFamily.IPV4 ? "/nft-ip.txt" : "/nft-ip6.txt")));
    }

    @Override
    public String toString() {
        return name;
    }

    private static Path path(String below) {
        URL folder = Objects.requireNonNull(NftRecording.class.getResource("/recordings"), "recordings");
        try {
            return Path.of(folder.toURI()).resolve(below);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
