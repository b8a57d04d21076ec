package dev.nodepath.linux.iptables.command;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.rule.Table;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Which variant the host uses already: rules in the other one would be asked too, in an order that nobody chose. It is found
 * as the iptables-wrappers of Kubernetes' images find it, where the kubelet has left its hint; else where a proxy's chains are,
 * else where more rules are. What the nf_tables variant holds is listed only for the last of these, as that takes seconds in a
 * large cluster, also for a single table of few rules.
 */
public final class VariantChoice {
    /** In mangle. */
    private static final List<String> KUBELET = List.of("KUBE-IPTABLES-HINT", "KUBE-KUBELET-CANARY");

    /** In filter, one for each mode; each has few rules. */
    private static final List<String> PROXY = List.of("KUBE-FORWARD", "KUBE-PORTALS-REJECT");

    private static final Pattern RULE = Pattern.compile("(?m)^-A ");

    private final Commands commands;
    private final Consumer<IptablesException> unlisted;

    private VariantChoice(Commands commands, Consumer<IptablesException> unlisted) {
        this.commands = commands;
        this.unlisted = unlisted;
    }

    /** Where the commands of a variant come from. */
    @FunctionalInterface
    public interface Commands {
        /** Those of one family. */
        Tables of(IpFamily family, IptablesVariant variant);
    }

    /** What can be asked of the tables that one family has in one variant. */
    public interface Tables {
        /** What {@code iptables-save} prints; a table that does not exist yet is not made by that. */
        String saveAll() throws IptablesException;

        /** Whether a chain is there. With the nf_tables variant it is cheap, and makes no table. */
        boolean hasChain(Table table, String chain) throws IptablesException;
    }

    /**
     * The variant in use; empty if neither has a rule.
     *
     * @param unlisted told of tables that could not be listed, and so count as not in use
     */
    public static Optional<IptablesVariant> inUse(Commands commands, Consumer<IptablesException> unlisted) {
        return new VariantChoice(commands, unlisted).inUse();
    }

    private Optional<IptablesVariant> inUse() {
        if (nftHas(Table.MANGLE, KUBELET)) {
            return Optional.of(IptablesVariant.NFT);
        }
        String legacy = tables(IptablesVariant.LEGACY);
        if (names(legacy, KUBELET)) {
            return Optional.of(IptablesVariant.LEGACY);
        }
        boolean nftHasProxy = nftHas(Table.FILTER, PROXY);
        if (nftHasProxy != names(legacy, PROXY)) {
            return Optional.of(nftHasProxy ? IptablesVariant.NFT : IptablesVariant.LEGACY);
        }
        long nftRules = ruleCount(tables(IptablesVariant.NFT));
        long legacyRules = ruleCount(legacy);
        if (nftRules == 0 && legacyRules == 0) {
            return Optional.empty();
        }
        return Optional.of(legacyRules > nftRules ? IptablesVariant.LEGACY : IptablesVariant.NFT);
    }

    private boolean nftHas(Table table, List<String> chains) {
        for (IpFamily family : IpFamily.values()) {
            for (String chain : chains) {
                try {
                    if (commands.of(family, IptablesVariant.NFT).hasChain(table, chain)) {
                        return true;
                    }
                } catch (IptablesException e) {
                    // A kernel may be built without it, and what cannot be asked is not in use.
                }
            }
        }
        return false;
    }

    private static boolean names(String tables, List<String> chains) {
        return chains.stream().anyMatch(chain -> tables.contains("\n:" + chain + " "));
    }

    private static long ruleCount(String tables) {
        return RULE.matcher(tables).results().count();
    }

    /** A kernel may be built without one of them; what cannot be listed is not in use. */
    private String tables(IptablesVariant variant) {
        try {
            return tables(commands, variant);
        } catch (IptablesException e) {
            unlisted.accept(e);
            return "";
        }
    }

    /**
     * What both families have in a variant, listed.
     *
     * @throws IptablesException if a command fails; one that is missing has nothing
     */
    public static String tables(Commands commands, IptablesVariant variant) throws IptablesException {
        StringBuilder tables = new StringBuilder("\n");
        for (IpFamily family : IpFamily.values()) {
            tables.append(commands.of(family, variant).saveAll());
        }
        return tables.toString();
    }

    /** Whether the listing of a variant has any chain that Kubernetes might have made. */
    public static boolean hasKubernetesChains(String tables) {
        return tables.contains("\n:KUBE-");
    }

    /** The commands of the system. */
    public static Commands system() {
        return (family, variant) ->
                new IptablesCommand(family, Optional.of(variant), List.of(), new TableWatch.Blind());
    }
}
