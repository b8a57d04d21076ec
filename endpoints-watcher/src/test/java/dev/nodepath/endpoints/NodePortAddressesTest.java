package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePortAddressesTest {
    private static final List<IpAddress> HOST = Stream.of("172.18.0.2", "127.0.0.1", "10.1.0.1", "fd00::2", "::1")
            .map(IpAddress::parse)
            .toList();
    private static final NodeInfo NODE = new NodeInfo(
            "n1",
            "",
            List.of(IpAddress.parse("172.18.0.2"), IpAddress.parse("172.19.0.2"), IpAddress.parse("fd00::2")),
            List.of());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                // words | IPv4 all | IPv4 | IPv6 all | IPv6 | localhost
                "'' | true | 10.1.0.1,127.0.0.1,172.18.0.2 | true | ::1,fd00::2 | true",
                "0.0.0.0/0 | true | 10.1.0.1,127.0.0.1,172.18.0.2 | true | ::1,fd00::2 | true",
                "172.18.5.9/16 | false | 172.18.0.2 | true | ::1,fd00::2 | false",
                "172.18.0.0/16,127.0.0.0/16 | false | 127.0.0.1,172.18.0.2 | true | ::1,fd00::2 | true",
                "fd00::/8 | true | 10.1.0.1,127.0.0.1,172.18.0.2 | false | fd00::2 | true",
                "172.18.0.0/16,::/0 | false | 172.18.0.2 | true | ::1,fd00::2 | false",
                "primary | false | 172.18.0.2 | false | fd00::2 | false",
            })
    void serveNodePorts(String words, boolean all4, String some4, boolean all6, String some6, boolean localhost) {
        NodePortAddresses addresses =
                NodePortAddresses.parse(words.isEmpty() ? List.of() : List.of(words.split(",", -1)));
        assertThat(addresses.isAll(IpFamily.IPV4, NODE)).isEqualTo(all4);
        assertThat(text(addresses, IpFamily.IPV4)).isEqualTo(some4);
        assertThat(addresses.isAll(IpFamily.IPV6, NODE)).isEqualTo(all6);
        assertThat(text(addresses, IpFamily.IPV6)).isEqualTo(some6);
        assertThat(addresses.includeLocalhost(NODE)).isEqualTo(localhost);
    }

    @Test
    void primaryIsAllAddressesWhereTheNodeHasNone() {
        NodePortAddresses primary = NodePortAddresses.parse(List.of("primary"));
        assertThat(primary.isAll(IpFamily.IPV4, null)).isTrue();
        assertThat(primary.in(IpFamily.IPV4, Optional.empty())).isEmpty();
        assertThat(primary.in(IpFamily.IPV4, Optional.of(IpAddress.parse("172.18.0.2"))))
                .containsExactly(Cidr.parse("172.18.0.2/32"));
    }

    @Test
    void primaryStandsAlone() {
        assertThatThrownBy(() -> NodePortAddresses.parse(List.of("primary", "10.0.0.0/8")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("[primary, 10.0.0.0/8] (expected: primary alone, or networks)");
    }

    private static String text(NodePortAddresses addresses, IpFamily family) {
        return String.join(
                ",",
                addresses.among(HOST, family, NODE).stream()
                        .map(IpAddress::toString)
                        .toList());
    }
}
