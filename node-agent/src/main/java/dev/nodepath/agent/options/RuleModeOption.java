package dev.nodepath.agent.options;

import java.util.List;
import picocli.CommandLine.Option;

/** The option of a mode whose rules a command prints or follows. */
public final class RuleModeOption {
    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: iptables or nftables (default: ${DEFAULT-VALUE}).")
    private ProxyMode mode = ProxyMode.IPTABLES;

    /** Whether it is nftables mode; otherwise it is iptables mode. */
    public boolean isNftables() throws CommandException {
        return switch (mode) {
            case NFTABLES -> true;
            case IPTABLES -> false;
            case USERSPACE ->
                throw CommandException.wrongUsage(List.of("--mode: userspace (expected: iptables or nftables)"));
        };
    }
}
