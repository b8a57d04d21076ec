package dev.nodepath.agent.options;

import java.util.Locale;
import picocli.CommandLine.Option;

/** The option of a mode whose rules a command prints or follows. */
public final class RuleModeOption {
    /** The modes with rules that the kernel follows alone. */
    enum RuleMode {
        IPTABLES,
        NFTABLES;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "iptables",
            description = "Proxy mode: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private RuleMode mode = RuleMode.IPTABLES;

    /** Whether it is nftables mode; otherwise it is iptables mode. */
    public boolean isNftables() {
        return mode == RuleMode.NFTABLES;
    }
}
