package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which variant the host uses already: rules in the other one would be asked too, in an order that nobody chose. It is found
 * as the iptables-wrappers of Kubernetes' images find it: where the kubelet has left its hint, else where more rules are.
 */
public final class VariantChoice {
    private static final Pattern KUBELET = Pattern.compile("(?m)^:KUBE-(IPTABLES-HINT|KUBELET-CANARY) ");
    private static final Pattern RULE = Pattern.compile("(?m)^-A ");

    private VariantChoice() {}

    /** What lists every table that one variant has, of both families; empty if its commands are not there. */
    @FunctionalInterface
    public interface Listing {
        /** What {@code iptables-save} prints; a table that does not exist yet is not made by that. */
        String tables(IptablesVariant variant) throws IptablesException;
    }

    /** The variant in use; empty if neither has a rule. */
    public static Optional<IptablesVariant> inUse(Listing listing) {
        String nft = tables(listing, IptablesVariant.NFT);
        if (KUBELET.matcher(nft).find()) {
            return Optional.of(IptablesVariant.NFT);
        }
        String legacy = tables(listing, IptablesVariant.LEGACY);
        if (KUBELET.matcher(legacy).find()) {
            return Optional.of(IptablesVariant.LEGACY);
        }
        long nftRules = RULE.matcher(nft).results().count();
        long legacyRules = RULE.matcher(legacy).results().count();
        if (nftRules == 0 && legacyRules == 0) {
            return Optional.empty();
        }
        return Optional.of(legacyRules > nftRules ? IptablesVariant.LEGACY : IptablesVariant.NFT);
    }

    /** A kernel may be built without one of them; what cannot be listed is not in use. */
    private static String tables(Listing listing, IptablesVariant variant) {
        try {
            return listing.tables(variant);
        } catch (IptablesException e) {
            return "";
        }
    }

    /** Whether the listing of a variant has any chain that Kubernetes might have made. */
    public static boolean hasKubernetesChains(String tables) {
        return tables.contains("\n:KUBE-");
    }

    /** Lists through the commands of the system. */
    public static Listing system() {
        return variant -> {
            StringBuilder tables = new StringBuilder("\n");
            for (IpFamily family : IpFamily.values()) {
                tables.append(
                        new IptablesCommand(family, Optional.of(variant), List.of(), new TableWatch.Blind()).saveAll());
            }
            return tables.toString();
        };
    }
}
