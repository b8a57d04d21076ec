package dev.nodepath.linux.route;

import static dev.nodepath.linux.ContractFixture.onLink;
import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.netlink.Wire;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteMessagesTest {

    @Test
    void routeThroughAGateway() {
        assertThat(RouteMessages.addIfAbsent(via("10.9.0.0/16", "10.1.0.2", 5), RouteOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                34 00 00 00  18 00  05 06  01 00 00 00  00 00 00 00  # NEWROUTE, REQUEST ACK EXCL CREATE
                02 10 00 00  fe 04 00 01  00 00 00 00                # AF_INET, /16, main, static, universe, unicast
                08 00 01 00  0a 09 00 00                             # DST
                08 00 05 00  0a 01 00 02                             # GATEWAY
                08 00 04 00  05 00 00 00                             # OIF
                """));
    }

    @Test
    void defaultRouteHasNoDestination() {
        assertThat(RouteMessages.addIfAbsent(Route.defaultVia(IpAddress.parse("fd00::2"), 0), RouteOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                30 00 00 00  18 00  05 06  01 00 00 00  00 00 00 00
                0a 00 00 00  fe 04 00 01  00 00 00 00
                14 00 05 00  fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02
                """));
    }

    @Test
    void ipv4RouteWithoutGatewayHasLinkScope() {
        assertThat(RouteMessages.replace(onLink("10.9.0.0/16", 5), RouteOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                2c 00 00 00  18 00  05 05  01 00 00 00  00 00 00 00  # REQUEST ACK REPLACE CREATE
                02 10 00 00  fe 04 fd 01  00 00 00 00                # scope link
                08 00 01 00  0a 09 00 00
                08 00 04 00  05 00 00 00
                """));
        assertThat(RouteMessages.addIfAbsent(onLink("fd09::/48", 5), RouteOptions.DEFAULT)
                        .toBytes(1)[22])
                .isEqualTo((byte) 0);
    }

    @Test
    void deletingLeavesProtocolAndScopeOpen() {
        assertThat(RouteMessages.delete(onLink("10.9.0.0/16", 5), RouteOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                2c 00 00 00  19 00  05 00  01 00 00 00  00 00 00 00
                02 10 00 00  fe 00 ff 01  00 00 00 00
                08 00 01 00  0a 09 00 00
                08 00 04 00  05 00 00 00
                """));
    }

    @Test
    void readsARoute() {
        assertThat(RouteMessages.read(Wire.message("""
                02 10 00 00  fe 04 00 01  00 00 00 00
                08 00 0f 00  fe 00 00 00                             # TABLE main
                08 00 01 00  0a 09 00 00
                08 00 05 00  0a 01 00 02
                08 00 04 00  05 00 00 00
                """), IpFamily.IPV4))
                .containsExactly(via("10.9.0.0/16", "10.1.0.2", 5));
        assertThat(RouteMessages.read(Wire.message("""
                0a 00 00 00  fe 04 00 01  00 00 00 00
                08 00 04 00  05 00 00 00
                """), IpFamily.IPV6)).containsExactly(onLink("::/0", 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0a 10 00 00  fe 04 00 01  00 00 00 00", // the other family
                "02 10 00 00  ff 04 00 01  00 00 00 00", // table local
                "02 10 00 00  fe 04 00 02  00 00 00 00", // type local
                "02 10 00 00  fe 04 00 07  00 00 00 00", // unreachable
                "02 10 00 00  fe 04 00 01  00 02 00 00", // a cache entry
                "02 10 00 00  fe 04 00 01  00 00 00 00  08 00 0f 00  00 10 00 00", // table 4096
                "02 10 00 00  fc 04 00 01  00 00 00 00  08 00 0f 00  fe 01 00 00" // table 510
            })
    void skipsWhatIsNotUnicastInTheMainTable(String message) {
        assertThat(RouteMessages.read(Wire.message(message), IpFamily.IPV4)).isEmpty();
    }

    @Test
    void readsEachNextHopOfAMultipathRoute() {
        assertThat(RouteMessages.read(Wire.message("""
                02 00 00 00  fe 04 00 01  00 00 00 00
                24 00 09 00                                          # MULTIPATH
                10 00 00 00  05 00 00 00  08 00 05 00  0a 01 00 02   # link 5 via 10.1.0.2
                10 00 00 00  06 00 00 00  08 00 05 00  0a 02 00 02   # link 6 via 10.2.0.2
                """), IpFamily.IPV4))
                .containsExactly(via("0.0.0.0/0", "10.1.0.2", 5), via("0.0.0.0/0", "10.2.0.2", 6));
    }

    @Test
    void refusesNextHopsOfNoLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RouteMessages.read(Wire.message("""
                        02 00 00 00  fe 04 00 01  00 00 00 00
                        0c 00 09 00  00 00 00 00  05 00 00 00
                        """), IpFamily.IPV4))
                .withMessageContaining("length of next hop: 0");
    }

    @Test
    void ipv4RouteMayHaveAnIpv6Gateway() {
        assertThat(RouteMessages.read(Wire.message("""
                02 00 00 00  fe 04 00 01  00 00 00 00
                16 00 12 00  0a 00 fe 80 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00  # VIA AF_INET6
                08 00 04 00  05 00 00 00
                """), IpFamily.IPV4))
                .containsExactly(new Route(Cidr.parse("0.0.0.0/0"), Optional.of(IpAddress.parse("fe80::1")), 5));
    }
}
