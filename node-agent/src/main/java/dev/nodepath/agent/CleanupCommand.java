package dev.nodepath.agent;

import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.VariantChoice;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code nodepath cleanup}: removes the rules of every mode from the network namespace it is started in. */
@Command(
        name = "cleanup",
        description =
                "Removes every rule of every proxy mode, kube-proxy's too, from the network namespace it is started in;"
                        + " from both variants of iptables. Needs CAP_NET_ADMIN.",
        mixinStandardHelpOptions = true)
final class CleanupCommand implements Callable<Integer> {
    @Override
    public Integer call() throws CommandException, IOException {
        Capability.requireNetAdmin();
        removeRules();
        return 0;
    }

    /** Looks first, as naming a table to a variant that has none would make it. */
    static void removeRules() throws IptablesException {
        VariantChoice.Listing listing = VariantChoice.system();
        boolean found = false;
        for (IptablesVariant variant : List.of(IptablesVariant.NFT, IptablesVariant.LEGACY)) {
            String tables = listing.tables(variant);
            found |= tables.contains("*");
            if (VariantChoice.hasKubernetesChains(tables)) {
                removeRules(Optional.of(variant));
            }
        }
        if (!found) {
            // Commands of neither variant have a table, or a name of their own.
            removeRules(Optional.empty());
        }
    }

    private static void removeRules(Optional<IptablesVariant> variant) throws IptablesException {
        for (ProxyMode mode : ProxyMode.values()) {
            mode.removeRules(variant);
        }
    }
}
