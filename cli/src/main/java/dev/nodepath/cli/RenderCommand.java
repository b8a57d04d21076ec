package dev.nodepath.cli;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.agent.options.RuleModeOption;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.policy.PolicyNode;
import dev.nodepath.policy.PolicyRenderer;
import dev.nodepath.policy.object.PolicySnapshot;
import dev.nodepath.proxy.iptables.IptablesRules;
import dev.nodepath.proxy.nftables.NftablesProxy;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath render}: prints the rules for some objects and changes nothing. */
@Command(
        name = "render",
        description = {
            "Prints the rules for manifests, and changes nothing.",
            "In iptables mode the output is for 'iptables-restore --noflush', jumps included. An empty network"
                    + " namespace needs nothing else. In nftables mode it is for 'nft -f'. A warning on standard"
                    + " error names each Service without rules."
        },
        footer = {
            "nodepath render --manifests services.yaml",
            "nodepath render --mode=nftables --family=IPv6 --manifests services.yaml",
            "nodepath render --manifests services.yaml --cluster-cidr=10.244.0.0/16 >rules"
        },
        mixinStandardHelpOptions = true)
final class RenderCommand implements Callable<Integer> {
    @Mixin
    private final RuleModeOption mode = new RuleModeOption();

    @Option(
            names = "--family",
            paramLabel = "FAMILY",
            defaultValue = "IPv4",
            description = "Address family of the rules: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private IpFamily family = IpFamily.IPV4;

    @Mixin
    private final ManifestOptions source = new ManifestOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, ManifestException {
        ServiceSnapshot snapshot = source.snapshot(family);
        String text = mode.isNftables()
                ? NftText.table(NftablesProxy.table(snapshot, options.nftables(), family)) + policies()
                : RestoreText.complete(IptablesRules.of(snapshot, options.iptables(), family));
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
        return 0;
    }

    /** The agent's table of policies for this node. Empty if there are no policies. */
    private String policies() throws CommandException, ManifestException {
        PolicySnapshot policies = source.policies(options.node());
        PolicyNode node = new PolicyNode(options.node(), Conflist.BRIDGE, false, false, 0);
        return policies.isWithoutPolicies()
                ? ""
                : NftText.table(new PolicyRenderer(node, family).all(policies).state());
    }
}
