package dev.nodepath.agent;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ManifestOptions;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.text.RestoreText;
import dev.nodepath.proxy.iptables.rules.IptablesRules;
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
        description = "Prints the iptables-restore text of the rules for manifests, jumps included. Restored with"
                + " --noflush into an empty network namespace, it is the complete state.",
        mixinStandardHelpOptions = true)
final class RenderCommand implements Callable<Integer> {
    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: iptables, the only one that prints rules (default: ${DEFAULT-VALUE}).")
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
        if (mode != ProxyMode.IPTABLES) {
            throw CommandException.wrongUsage(List.of("--mode: " + mode + " (expected: iptables)"));
        }
        ServiceSnapshot snapshot = source.snapshot();
        spec.commandLine().getOut().print(RestoreText.complete(IptablesRules.of(snapshot, options.iptables(), family)));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
