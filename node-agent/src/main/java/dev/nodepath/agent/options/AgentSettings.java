package dev.nodepath.agent.options;

import dev.nodepath.agent.install.NetworkSettings;
import dev.nodepath.agent.routes.Overlay;
import dev.nodepath.linux.address.Cidr;
import java.nio.file.Path;
import java.util.List;

/**
 * What the command line asks of an agent.
 *
 * @param proxy how its ports and its proxy are to be
 * @param runsProxy whether there is to be a proxy
 * @param network the pods' network
 * @param installs whether the plugin is to be put on the node
 * @param cniSocket where CNI calls come from; files of the agent are beside it
 * @param overlay how packets get to other nodes
 * @param nonMasqueradeCidrs networks beside all podCIDRs that pods reach with their own address
 */
public record AgentSettings(
        ProxySettings proxy,
        boolean runsProxy,
        NetworkSettings network,
        boolean installs,
        Path cniSocket,
        Overlay overlay,
        List<Cidr> nonMasqueradeCidrs) {

    /** Copies the list. */
    public AgentSettings {
        nonMasqueradeCidrs = List.copyOf(nonMasqueradeCidrs);
    }
}
