package dev.nodepath.agent;

import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.VariantChoice;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;

/** {@code nodepath cleanup}: removes the rules of every mode from the network namespace it is started in. */
@Command(
        name = "cleanup",
        description =
                "Removes every rule of every proxy mode, kube-proxy's too, from the network namespace it is started in;"
                        + " from both variants of iptables. Needs CAP_NET_ADMIN.",
        mixinStandardHelpOptions = true)
final class CleanupCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(CleanupCommand.class);

    @Override
    public Integer call() throws CommandException, IOException {
        Capability.requireNetAdmin();
        removeRules();
        return 0;
    }

    /** Looks first, as naming a table to a variant that has none would make it. */
    private static void removeRules() throws IptablesException {
        boolean found = false;
        for (IptablesVariant variant : List.of(IptablesVariant.NFT, IptablesVariant.LEGACY)) {
            Optional<String> tables = tables(variant);
            found |= tables.filter(text -> text.contains("*")).isPresent();
            if (tables.filter(VariantChoice::hasKubernetesChains).isPresent()) {
                removeRules(Optional.of(variant));
            }
        }
        if (!found) {
            // Neither has a table, or commands of its own.
            removeRules(Optional.empty());
        }
    }

    /** A kernel may be built without one of them. */
    private static Optional<String> tables(IptablesVariant variant) {
        try {
            return Optional.of(VariantChoice.tables(VariantChoice.system(), variant));
        } catch (IptablesException e) {
            LOG.atWarn()
                    .addKeyValue("variant", variant)
                    .addKeyValue("error", e.getMessage())
                    .log("cleanup.variant_left");
            return Optional.empty();
        }
    }

    private static void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
        for (ProxyMode mode : ProxyMode.values()) {
            mode.removeRules(variant);
        }
    }
}
