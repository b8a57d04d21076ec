package dev.nodepath.cni.ipam;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A process that takes and frees addresses: {@code DATADIR NAME ROUNDS}. It keeps the address of every second round
 * and prints it.
 */
public final class IpamProcess {
    /** The network that all such processes share. */
    public static final String NETWORK = "shared";

    private IpamProcess() {}

    /** Runs the rounds. */
    public static void main(String[] arguments) throws Exception {
        KernelLinuxNet kernel = new KernelLinuxNet();
        HostLocalIpam ipam = new HostLocalIpam(locks(kernel), HostLocalIpam.LOCK_WAIT_MAX);
        IpamConfig config = config(Path.of(arguments[0]));
        for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
            Attachment attachment = new Attachment(arguments[1] + "-" + i, "eth0");
            List<RangeSet.Candidate> given =
                    ipam.allocate(config, NETWORK, attachment, false).addresses();
            if (i % 2 == 0) {
                ipam.release(config.dataDir(), NETWORK, attachment);
            } else {
                System.out.println(given.get(0).address());
            }
        }
    }

    static IpamConfig config(Path dataDir) {
        AddressRange range =
                AddressRange.of(Cidr.parse("10.9.0.0/16"), Optional.empty(), Optional.empty(), Optional.empty());
        return new IpamConfig(dataDir, List.of(new RangeSet(List.of(range))), List.of(), List.of());
    }

    static LockFile locks(KernelLinuxNet kernel) {
        return file -> kernel.tryLock(file).map(lock -> lock::close);
    }
}
