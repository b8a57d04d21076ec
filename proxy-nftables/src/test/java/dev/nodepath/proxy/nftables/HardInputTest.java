package dev.nodepath.proxy.nftables;

import static dev.nodepath.linux.address.IpFamily.IPV4;
import static dev.nodepath.linux.address.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.NftTransaction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HardInputTest {
    private static final int NAME_BYTES_MAX = 255;

    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.nftables.HardInput#all")
    void fitsMessagesOfTheKernel(HardInput input) {
        for (IpFamily family : IpFamily.values()) {
            for (boolean sharedMaps : List.of(false, true)) {
                NftTableState table = input.table(family, sharedMaps);
                assertThat(table.chains().keySet())
                        .allMatch(name -> name.getBytes(StandardCharsets.UTF_8).length <= NAME_BYTES_MAX);
                assertThat(table.sets().keySet())
                        .allMatch(name -> name.getBytes(StandardCharsets.UTF_8).length <= NAME_BYTES_MAX);
                NftTransaction transaction = new NftTransaction();
                table.sets()
                        .values()
                        .forEach(content -> transaction
                                .add(new NftChange.AddSet(content.set()))
                                .add(new NftChange.AddElements(
                                        content.set(),
                                        List.copyOf(content.elements().values()))));
                table.chains().values().forEach(content -> {
                    transaction.add(new NftChange.AddChain(content.chain()));
                    content.rules().forEach(rule -> transaction.add(new NftChange.AddRule(content.chain(), rule)));
                });
                assertThat(transaction.isEmpty()).isFalse();
            }
        }
    }

    @Test
    void firstServiceHasExternalIpOfTwo() {
        NftTableState table = input("two services with one external IP").table(IPV4, false);
        assertThat(elements(table, "service-ips"))
                .contains("192.0.2.1 . tcp . 80 : goto external-R5ZPL7J4-ns/a/tcp/p")
                .filteredOn(element -> element.startsWith("192.0.2.1 "))
                .hasSize(1);
    }

    @Test
    void endpointOfTheWrongFamilyServesNobody() {
        HardInput input = input("endpoint of the wrong family");
        assertThat(elements(input.table(IPV4, false), "no-endpoint-services"))
                .containsExactly("10.96.0.1 . tcp . 80 comment \"ns/four:p\" : goto reject-chain");
        assertThat(NftText.table(input.table(IPV6, false))).doesNotContain("ns/four");
    }

    @Test
    void sourceRangesHaveEachAddressOnce() {
        NftTableState table = input("source ranges").table(IPV4, false);
        assertThat(firewall(table, "ns/halves")).isEqualTo("ip saddr != 0.0.0.0/0 drop");
        assertThat(firewall(table, "ns/overlap"))
                .isEqualTo("ip saddr != { 10.0.0.0-11.0.255.255, 203.0.113.7, 255.255.255.0/24 } drop");
        assertThat(firewall(table, "ns/one")).isEqualTo("ip saddr != 203.0.113.7 drop");
    }

    @Test
    void affinityLastsAsLongAsTheServiceSays() {
        assertThat(NftText.table(input("affinity of a second and a day").table(IPV4, false)))
                .contains("\t\ttimeout 1s\n", "\t\ttimeout 1d\n");
    }

    @Test
    void cutsLongNamesAndComments() {
        NftTableState table = input("long names").table(IPV6, false);
        assertThat(table.chains().keySet())
                .filteredOn(name -> name.startsWith("endpoint-"))
                .hasSize(2)
                .allMatch(name -> name.length() <= 249);
        assertThat(set(table, "no-endpoint-nodeports").elements().values())
                .extracting(NftElement::comment)
                .containsExactly(("n".repeat(63) + "/" + "s".repeat(63)).substring(0, 124) + "...");
    }

    private static HardInput input(String name) {
        return HardInput.all()
                .filter(input -> input.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> elements(NftTableState table, String set) {
        NftTableState.Elements content = set(table, set);
        return content.elements().values().stream()
                .map(element -> NftText.element(content.set(), element))
                .toList();
    }

    private static NftTableState.Elements set(NftTableState table, String name) {
        return Objects.requireNonNull(table.sets().get(name), name);
    }

    private static String firewall(NftTableState table, String service) {
        NftTableState.Chain chain = table.chains().values().stream()
                .filter(each -> each.chain().name().startsWith("firewall-")
                        && each.chain().name().contains("-" + service + "/"))
                .findFirst()
                .orElseThrow();
        return NftText.rule(chain.chain().table().family(), chain.rules().get(0));
    }
}
