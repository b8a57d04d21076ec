package dev.nodepath.agent;

import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.VariantChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** Which iptables. */
final class IptablesOptions {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesOptions.class);

    /** Asks for nat and changes nothing; listing it may take seconds. */
    private static final String NOTHING = "*nat\nCOMMIT\n";

    /** The choices. */
    enum Variant {
        AUTO,
        NFT,
        LEGACY;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--iptables-variant",
            paramLabel = "VARIANT",
            defaultValue = "auto",
            description = "${COMPLETION-CANDIDATES}; auto is the one that the host has rules in (default:"
                    + " ${DEFAULT-VALUE}).")
    private Variant variant = Variant.AUTO;

    /** IPv4 first, without which there is no proxy, and IPv6 if the kernel has its tables; fails without the right to see them. */
    List<IptablesCommand> usableFamilies() throws IptablesException {
        IptablesVariant chosen = switch (variant) {
            case AUTO -> VariantChoice.inUse(VariantChoice.system());
            case NFT -> IptablesVariant.NFT;
            case LEGACY -> IptablesVariant.LEGACY;
        };
        LOG.atInfo()
                .addKeyValue("variant", chosen.name().toLowerCase(Locale.ROOT))
                .addKeyValue("asked", variant)
                .log("iptables.variant");
        List<IptablesCommand> commands = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            IptablesCommand iptables = new IptablesCommand(family, chosen);
            try {
                iptables.restore(NOTHING);
                commands.add(iptables);
            } catch (IptablesException e) {
                if (family == IpFamily.IPV4) {
                    throw e;
                }
                LOG.atWarn()
                        .addKeyValue("family", family)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.family_left_out");
            }
        }
        return commands;
    }
}
