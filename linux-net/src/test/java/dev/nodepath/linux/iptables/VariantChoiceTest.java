package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VariantChoiceTest {
    private static final String HINT = "*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n";
    private static final String CANARY = "*mangle\n:KUBE-KUBELET-CANARY - [0:0]\nCOMMIT\n";
    private static final String ONE = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\nCOMMIT\n";
    private static final String TWO = "*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -j ACCEPT\n-A INPUT -j DROP\nCOMMIT\n";

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
    })
    void takesTheOneThatTheHostUses(String nft, String legacy, @Nullable IptablesVariant expected) {
        assertThat(VariantChoice.inUse(variant -> text(variant == IptablesVariant.NFT ? nft : legacy)))
                .isEqualTo(Optional.ofNullable(expected));
    }

    private static String text(String name) throws IptablesException {
        return switch (name) {
            case "one" -> ONE;
            case "two" -> TWO;
            case "hint" -> HINT;
            case "canary" -> CANARY;
            case "broken" -> throw new IptablesException("Protocol not supported");
            default -> "";
        };
    }
}
