package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The same with the kernel, in both variants. */
@Tag("netns")
class ChainKeeperNetnsTest {
    private abstract static class OfVariant extends ChainKeeperContract {
        private final IptablesNamespace namespace;

        OfVariant(IptablesVariant variant) throws IOException {
            namespace = IptablesNamespace.create(variant);
        }

        @Override
        Iptables iptables() {
            return namespace.iptables(IpFamily.IPV4);
        }

        @Override
        void restoreByOther(String text) throws IptablesException {
            namespace.others(IpFamily.IPV4).restore(text);
        }

        @AfterEach
        void close() throws IOException {
            namespace.close();
        }
    }

    @Nested
    class Nft extends OfVariant {
        Nft() throws IOException {
            super(IptablesVariant.NFT);
        }
    }

    @Nested
    class Legacy extends OfVariant {
        Legacy() throws IOException {
            super(IptablesVariant.LEGACY);
        }
    }
}
