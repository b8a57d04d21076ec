package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;

/**
 * The gate where no agent can be told of a new pod. While the table of NetworkPolicies stands on the node, nobody would
 * isolate the pod, so it does not start.
 */
public final class PolicyTableGate implements AddressGate {
    /** The network of the agent's pods. */
    public static final String NETWORK = "nodepath";

    /** The name of the policies' tables. */
    public static final String TABLE = "nodepath-policy";

    private final LinuxNet net;

    /** Looks in the network namespace of this process. */
    public PolicyTableGate(LinuxNet net) {
        this.net = net;
    }

    @Override
    public Passage announce(String network, Map<String, String> args, List<IpAddress> addresses) {
        return network.equals(NETWORK) && !addresses.isEmpty() ? new Unguarded(net) : Passage.OPEN;
    }

    private record Unguarded(LinuxNet net) implements Passage {
        @Override
        public void await() throws CniException {
            try (NetworkNamespace host = net.current()) {
                for (IpFamily family : IpFamily.values()) {
                    if (host.hasNftTable(new NftTable(NftFamily.of(family), TABLE))) {
                        throw new CniException(
                                ErrorCode.TRY_AGAIN_LATER,
                                "NetworkPolicies are in force on this node, and no agent runs that would enforce them for"
                                        + " this pod (expected: a running agent, or 'nodepath cleanup' on this node)");
                    }
                }
            } catch (LinuxNetException e) {
                throw new CniException(ErrorCode.TRY_AGAIN_LATER, "table " + TABLE + ": " + e.getMessage(), e);
            }
        }

        @Override
        public void withdraw() {}
    }
}
