package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Finds the variant that the host already uses. Rules in the other variant would apply too, in an undefined order. It
 * looks for the kubelet's hint chain, like the iptables-wrappers of Kubernetes' images, then for chains of a proxy,
 * then for the variant with more rules. Only the last step lists the nf_tables variant, because that takes seconds in a
 * large cluster, even for a small table.
 */
public final class VariantChoice {
    /** The kubelet's chains, which are in mangle. */
    private static final List<String> KUBELET = List.of("KUBE-IPTABLES-HINT", "KUBE-KUBELET-CANARY");

    /** A proxy's chain of each mode, in filter. Each has few rules, so it is quick to list. */
    private static final List<String> PROXY = List.of("KUBE-FORWARD", "KUBE-NODEPORT-NON-LOCAL");

    private static final Pattern RULE = Pattern.compile("(?m)^-A ");

    private final Commands commands;
    private final Consumer<IptablesException> unlisted;

    private VariantChoice(Commands commands, Consumer<IptablesException> unlisted) {
        this.commands = commands;
        this.unlisted = unlisted;
    }

    /** Provides the commands of a variant. */
    @FunctionalInterface
    public interface Commands {
        /** The commands of one family. */
        Tables of(IpFamily family, IptablesVariant variant);
    }

    /** The questions about the tables of one family in one variant. */
    interface Tables {
        /** The output of {@code iptables-save}. It makes no table. */
        String saveAll() throws IptablesException;

        /** Whether a chain exists. With the nf_tables variant it is cheap and makes no table. */
        boolean hasChain(Table table, String chain) throws IptablesException;
    }

    /**
     * The variant in use; empty if neither has a rule.
     *
     * @param unlisted receives the tables that could not be listed. They count as unused.
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
                    // A kernel may lack the variant. A variant that cannot be queried is not in use.
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

    /** A kernel may lack a variant. A variant that cannot be listed is not in use. */
    private String tables(IptablesVariant variant) {
        try {
            return tables(commands, variant);
        } catch (IptablesException e) {
            unlisted.accept(e);
            return "";
        }
    }

    /**
     * The listings of both families in a variant.
     *
     * @throws IptablesException if a command fails. A missing command lists nothing.
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
        return (family, variant) -> new IptablesCommand(family, Optional.of(variant));
    }
}
