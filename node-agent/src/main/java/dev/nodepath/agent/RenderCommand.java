package dev.nodepath.agent;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ManifestOptions;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.text.RestoreText;
import dev.nodepath.linux.nftables.text.NftText;
import dev.nodepath.proxy.iptables.rules.IptablesRules;
import dev.nodepath.proxy.nftables.rules.NftablesContext;
import dev.nodepath.proxy.nftables.rules.NftablesRules;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code nodepath render}: prints the rules for some objects and changes nothing. */
@Command(
        name = "render",
        description = "Prints the rules for manifests: the text for iptables-restore, jumps included. Restored with"
                + " --noflush into an empty network namespace, it is the complete state. In nftables mode it prints the"
                + " table for nft -f.",
        mixinStandardHelpOptions = true)
final class RenderCommand implements Callable<Integer> {
    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: iptables or nftables (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    @Option(
            names = "--family",
            paramLabel = "FAMILY",
            defaultValue = "ipv4",
            description = "Address family of the rules: ipv4 or ipv6 (default: ${DEFAULT-VALUE}).")
    private IpFamily family = IpFamily.IPV4;

    @Mixin
    private final ManifestOptions source = new ManifestOptions();

    @Mixin
    private final ProxyOptions options = new ProxyOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws CommandException, ManifestException {
        ServiceSnapshot snapshot = source.snapshot();
        spec.commandLine()
                .getOut()
                .print(
                        switch (mode) {
                            case IPTABLES ->
                                RestoreText.complete(IptablesRules.of(snapshot, options.iptables(), family));
                            case NFTABLES -> tables(snapshot);
                            case USERSPACE ->
                                throw CommandException.wrongUsage(
                                        List.of("--mode: userspace (expected: iptables or nftables)"));
                        });
        spec.commandLine().getOut().flush();
        return 0;
    }

    private String tables(ServiceSnapshot snapshot) throws CommandException {
        NftablesContext context = NftablesContext.of(snapshot, options.nftables(), family, false);
        return NftText.table(NftablesRules.of(snapshot, context));
    }
}
