package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The installed commands, both variants. */
@Tag("netns")
class RuleApplierNetnsTest {
    abstract static class Installed extends RuleApplierContract {
        private final IptablesNamespace namespace;

        Installed(IptablesVariant variant) throws IOException {
            namespace = IptablesNamespace.create(variant);
        }

        @AfterEach
        void delete() throws IOException {
            namespace.close();
        }

        @Override
        Iptables iptables() {
            return namespace.iptables(IpFamily.IPV4);
        }

        @Override
        Iptables others() {
            return namespace.others(IpFamily.IPV4);
        }
    }

    @Nested
    class Nft extends Installed {
        Nft() throws IOException {
            super(IptablesVariant.NFT);
        }
    }

    @Nested
    class Legacy extends Installed {
        Legacy() throws IOException {
            super(IptablesVariant.LEGACY);
        }
    }
}
