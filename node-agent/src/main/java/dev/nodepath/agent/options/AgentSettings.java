package dev.nodepath.agent.options;

import dev.nodepath.agent.install.NetworkSettings;
import dev.nodepath.agent.routes.Overlay;
import dev.nodepath.linux.address.Cidr;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of an agent.
 *
 * @param proxy the settings of its ports and its proxy
 * @param runsProxy whether it runs a proxy
 * @param printsSyncs whether it writes each sync of its proxy to standard output
 * @param network the pods' network
 * @param installs whether it installs the plugin on the node
 * @param cniSocket socket of CNI calls; the agent's other files are in the same folder
 * @param overlay how packets get to other nodes
 * @param networkPolicy whether it enforces NetworkPolicies
 * @param policyStrict whether connections end when a change of NetworkPolicies forbids them
 * @param policyLogGroup the group that is told of packets that NetworkPolicies refuse; 0 for none
 * @param policyWait how long an ADD waits for the policies of its pod
 * @param nonMasqueradeCidrs further networks that pods reach with their own address; podCIDRs are always such networks
 */
public record AgentSettings(
        ProxySettings proxy,
        boolean runsProxy,
        boolean printsSyncs,
        NetworkSettings network,
        boolean installs,
        Path cniSocket,
        Overlay overlay,
        boolean networkPolicy,
        boolean policyStrict,
        int policyLogGroup,
        Duration policyWait,
        List<Cidr> nonMasqueradeCidrs) {

    public AgentSettings {
        nonMasqueradeCidrs = List.copyOf(nonMasqueradeCidrs);
    }
}
