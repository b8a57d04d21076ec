package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The allocation of one network's addresses.
 *
 * @param dataDir the folder with a subfolder for each network
 * @param rangeSets a container gets one address of each set
 * @param routes the routes of every container
 * @param requested the addresses that this container asks for. It must get all of them.
 */
public record IpamConfig(Path dataDir, List<RangeSet> rangeSets, List<PodRoute> routes, List<IpAddress> requested) {

    /** host-local's default folder. */
    public static final Path DATA_DIR_DEFAULT = Path.of("/var/lib/cni/networks");

    /** Makes the checks of host-local, with its messages. */
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
