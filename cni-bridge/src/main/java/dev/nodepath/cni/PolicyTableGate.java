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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The gate for a call without an agent: nobody can be told of the new pod. While NetworkPolicies are in force the pod
 * would not be isolated, so it does not start. The policies' table shows that they are in force, and after the node's
 * restart a file of the agent.
 */
public final class PolicyTableGate implements AddressGate {
    /** The network of the agent's pods. */
    public static final String NETWORK = "nodepath";

    private final LinuxNet net;

    /** Looks in the network namespace of this process. */
    public PolicyTableGate(LinuxNet net) {
        this.net = net;
    }

    /** The policies' table of a family. The agent's module of policies names the same one. */
    public static NftTable table(IpFamily family) {
        return new NftTable(NftFamily.of(family), "nodepath-policy");
    }

    /**
     * The sign that policies are in force, in words: the mark, or a table of policies. Empty without a sign. A mark
     * that cannot be read counts.
     *
     * @throws CniException if the tables cannot be looked at
     */
    public static Optional<String> sign(LinuxNet net, Optional<Path> mark) throws CniException {
        if (mark.isPresent() && !Files.notExists(mark.get())) {
            return Optional.of("file " + mark.get());
        }
        try (NetworkNamespace host = net.current()) {
            for (IpFamily family : IpFamily.values()) {
                if (host.hasNftTable(table(family))) {
                    return Optional.of("table " + table(family));
                }
            }
        } catch (LinuxNetException e) {
            throw new CniException(ErrorCode.TRY_AGAIN_LATER, "tables of policies: " + e.getMessage(), e);
        }
        return Optional.empty();
    }

    @Override
    public Passage announce(String network, Map<String, String> args, Optional<Path> mark, List<IpAddress> addresses) {
        return network.equals(NETWORK) && !addresses.isEmpty() ? new Unguarded(net, mark) : Passage.OPEN;
    }

    private record Unguarded(LinuxNet net, Optional<Path> mark) implements Passage {
        @Override
        public void await() throws CniException {
            Optional<String> sign = sign(net, mark);
            if (sign.isPresent()) {
                throw new CniException(
                        ErrorCode.TRY_AGAIN_LATER,
                        "NetworkPolicies are in force on this node, and no agent runs that would enforce them for this"
                                + " pod (" + sign.get()
                                + " is there; expected: a running agent, or 'nodepath cleanup' on this node)");
            }
        }

        @Override
        public void withdraw() {}
    }
}
