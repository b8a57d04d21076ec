package dev.nodepath.agent.options;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.linux.iptables.VariantChoice;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** The option that selects the iptables variant. */
public final class VariantOption {
    private static final Logger LOG = LoggerFactory.getLogger(VariantOption.class);

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
            description = "Which iptables programs run: ${COMPLETION-CANDIDATES}. auto takes the variant that"
                    + " the host has rules in (default: ${DEFAULT-VALUE}).")
    private Variant variant = Variant.AUTO;

    private Optional<IptablesVariant> chosen = Optional.empty();
    private boolean isChosen;

    /** A command of the variant. It does not watch changes by other programs. */
    public IptablesCommand command(IpFamily family) {
        return new IptablesCommand(family, chosen());
    }

    /**
     * The commands of the usable families, as {@link #usableFamilies(TableWatch)}, with a new watch that is never
     * closed.
     */
    public List<IptablesCommand> usableFamilies() throws IptablesException {
        TableWatch watch = watch();
        try {
            return usableFamilies(watch);
        } catch (IptablesException | RuntimeException e) {
            watch.close();
            throw e;
        }
    }

    /**
     * A command for IPv4 and, if the kernel has its tables, one for IPv6. Fails without IPv4, without the right to see
     * tables, and for a family that may work later.
     *
     * @param watch shared by the commands; the caller closes it after them
     */
    public List<IptablesCommand> usableFamilies(TableWatch watch) throws IptablesException {
        List<IptablesCommand> commands = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            IptablesCommand iptables = new IptablesCommand(family, chosen(), watch);
            try {
                iptables.check();
                commands.add(iptables);
            } catch (IptablesException e) {
                if (family == IpFamily.IPV4 || e.isTemporary()) {
                    throw e;
                }
                LOG.atWarn()
                        .addKeyValue("family", family)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.family_skipped");
            }
        }
        return commands;
    }

    /** The variant, which is chosen once, so that a process always uses the same tables. */
    private synchronized Optional<IptablesVariant> chosen() {
        if (!isChosen) {
            chosen = switch (variant) {
                case AUTO -> VariantChoice.inUse(VariantChoice.system(), VariantOption::tellUnlisted);
                case NFT -> Optional.of(IptablesVariant.NFT);
                case LEGACY -> Optional.of(IptablesVariant.LEGACY);
            };
            isChosen = true;
            LOG.atInfo()
                    .addKeyValue(
                            "variant",
                            chosen.map(known -> known.name().toLowerCase(Locale.ROOT))
                                    .orElse("default"))
                    .addKeyValue("requested", variant)
                    .log("iptables.variant");
        }
        return chosen;
    }

    /** The host may use the other variant's tables. Then both variants would have rules. */
    private static void tellUnlisted(IptablesException error) {
        LOG.atWarn().addKeyValue("error", error.getMessage()).log("iptables.variant_unknown");
    }

    /** A watch of the variant's tables. If none can be opened, each periodic sync has to list the tables. */
    public TableWatch watch() throws IptablesException {
        IptablesCommand iptables = command(IpFamily.IPV4);
        iptables.check();
        try {
            return TableWatch.open(new KernelLinuxNet(), iptables.version().variant());
        } catch (LinuxNetException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("proxy.tables_not_watched");
            return new TableWatch.Blind();
        }
    }
}
