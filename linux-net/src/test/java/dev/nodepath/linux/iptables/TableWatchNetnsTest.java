package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Our own changes are never reported, and changes by other programs are. */
@Tag("netns")
class TableWatchNetnsTest {
    private static final String TWO_TABLES = """
            *filter
            :A - [0:0]
            -A A -j ACCEPT
            -A FORWARD -j A
            COMMIT
            *nat
            :A - [0:0]
            -A A -j ACCEPT
            COMMIT
            """;

    @ParameterizedTest
    @EnumSource(IptablesVariant.class)
    void tellsOthersChangesFromOurs(IptablesVariant variant) throws Exception {
        try (IptablesNamespace namespace = IptablesNamespace.create(variant)) {
            Iptables ipv4 = namespace.iptables(IpFamily.IPV4);
            Iptables ipv6 = namespace.iptables(IpFamily.IPV6);
            ipv4.restore(TWO_TABLES);
            OptionalLong start = ipv4.changesByOthers();
            assertThat(start).isPresent();
            ipv4.restore(TWO_TABLES);
            ipv6.restore(TWO_TABLES);
            ipv4.check();
            assertThat(ipv4.save()).contains("-A FORWARD -j A");
            assertThat(ipv4.changesByOthers()).isEqualTo(start);

            String program = variant == IptablesVariant.NFT ? "iptables-nft" : "iptables-legacy";
            for (String change : List.of(
                    "-t nat -F A",
                    "-t filter -D FORWARD -j A",
                    "-t mangle -N B",
                    "-t nat -I PREROUTING -j A",
                    "-t filter -F",
                    "-t nat -D PREROUTING -j A")) {
                namespace.run((program + " -w " + change).split(" "));
                OptionalLong now = answer(ipv4);
                assertThat(now).as(change).isPresent().isNotEqualTo(start);
                start = now;
            }
        }
    }

    /** The legacy watch answers with "unknown" now and then. */
    private static OptionalLong answer(Iptables iptables) {
        OptionalLong answer = iptables.changesByOthers();
        return answer.isPresent() ? answer : iptables.changesByOthers();
    }
}
