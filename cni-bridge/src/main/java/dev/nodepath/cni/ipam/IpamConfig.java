package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How addresses of one network are given out.
 *
 * @param dataDir holds a folder per network
 * @param rangeSets of each of them a container gets one address
 * @param routes that every container gets
 * @param requested the addresses that this container asks for; all of them must be given
 */
public record IpamConfig(Path dataDir, List<RangeSet> rangeSets, List<PodRoute> routes, List<IpAddress> requested) {

    /** Where host-local keeps its folders unless told otherwise. */
    public static final Path DATA_DIR_DEFAULT = Path.of("/var/lib/cni/networks");

    /** Checks what host-local checks, in its words. */
    public IpamConfig {
        rangeSets = List.copyOf(rangeSets);
        routes = List.copyOf(routes);
        requested = List.copyOf(requested);
        if (rangeSets.isEmpty()) {
            throw new IllegalArgumentException("no IP ranges specified");
        }
        for (int i = 0; i < rangeSets.size(); i++) {
            for (int k = i + 1; k < rangeSets.size(); k++) {
                if (rangeSets.get(i).overlaps(rangeSets.get(k))) {
                    throw new IllegalArgumentException("range set " + i + " overlaps with " + k);
                }
            }
        }
    }
}
