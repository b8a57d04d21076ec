package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VariantChoiceTest {
    private static final String HINT = "*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n";
    private static final String CANARY = "*mangle\n:KUBE-KUBELET-CANARY - [0:0]\nCOMMIT\n";
    private static final String PROXY = "*filter\n:KUBE-FORWARD - [0:0]\n-A KUBE-FORWARD -j ACCEPT\nCOMMIT\n";
    private static final String PORTALS =
            "*filter\n:KUBE-NODEPORT-NON-LOCAL - [0:0]\n-A INPUT -j A\n-A INPUT -j KUBE-NODEPORT-NON-LOCAL\nCOMMIT\n";
    private static final String ONE = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n";
    private static final String TWO = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\n-A INPUT -j DROP\nCOMMIT\n";

    private final List<String> unlisted = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({
        "none, none,",
        "one, none, NFT",
        "none, one, LEGACY",
        "one, two, LEGACY",
        "two, one, NFT",
        "one, one, NFT",
        "hint, two, NFT",
        "two, hint, LEGACY",
        "two, canary, LEGACY",
        "canary, two, NFT",
        "broken, one, LEGACY",
        "one, broken, NFT",
        "proxy, two, NFT",
        "two, proxy, LEGACY",
        "portals, two, NFT",
        "proxy, hint, LEGACY",
        "canary, proxy, NFT",
        "proxy, portals, LEGACY",
    })
    void takesTheOneThatTheHostUses(String nft, String legacy, @Nullable IptablesVariant expected) {
        assertThat(inUse(nft, legacy)).isEqualTo(Optional.ofNullable(expected));
        assertThat(unlisted).hasSize(nft.equals("broken") || legacy.equals("broken") ? 1 : 0);
    }

    private Optional<IptablesVariant> inUse(String nft, String legacy) {
        return VariantChoice.inUse(
                (family, variant) -> new Texts(variant == IptablesVariant.NFT ? nft : legacy, family == IpFamily.IPV6),
                failure -> unlisted.add(failure.getMessage()));
    }

    @Test
    void doesNotListWhatTakesLongIfTheKubeletHasLeftItsHint() {
        assertThat(VariantChoice.inUse((family, variant) -> new Unlisted("KUBE-IPTABLES-HINT"), failure -> {}))
                .contains(IptablesVariant.NFT);
    }

    /** Tables that hold nothing but one chain, and must not be listed. */
    private record Unlisted(String chain) implements VariantChoice.Tables {
        @Override
        public String saveAll() {
            throw new AssertionError("listed");
        }

        @Override
        public boolean hasChain(Table table, String asked) {
            return asked.equals(chain);
        }
    }

    /** The tables of one family; the other one has none. */
    private record Texts(String name, boolean there) implements VariantChoice.Tables {
        @Override
        public String saveAll() throws IptablesException {
            return there ? text(name) : "";
        }

        @Override
        public boolean hasChain(Table table, String chain) throws IptablesException {
            return saveAll().startsWith("*" + table + "\n") && saveAll().contains("\n:" + chain + " ");
        }
    }

    private static String text(String name) throws IptablesException {
        return switch (name) {
            case "one" -> ONE;
            case "two" -> TWO;
            case "hint" -> HINT;
            case "canary" -> CANARY;
            case "proxy" -> PROXY;
            case "portals" -> PORTALS;
            case "broken" -> throw new IptablesException("Protocol not supported");
            default -> "";
        };
    }
}
