package dev.nodepath.cni.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.route.RouteOptions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One result in the shape of every version. */
class ResultEncoderTest {
    private static final List<CniResult.Interface> LINKS = List.of(
            new CniResult.Interface("cni0", "02:00:00:00:00:01", 1500, ""),
            new CniResult.Interface("veth1234abcd", "02:00:00:00:00:02", 1400, ""),
            new CniResult.Interface("eth0", "02:00:00:00:00:03", 1400, "/run/netns/pod"));
    private static final CniResult.Ip IPV4 = ip("10.1.2.2/24", "10.1.2.1");
    private static final CniResult.Ip IPV6 = ip("2001:db8::2/64", "2001:db8::1");
    private static final List<PodRoute> ROUTES = List.of(
            PodRoute.defaultVia(IpAddress.parse("10.1.2.1")),
            new PodRoute(Cidr.parse("192.168.0.0/16"), Optional.empty(), RouteOptions.DEFAULT),
            PodRoute.defaultVia(IpAddress.parse("2001:db8::1")));
    private static final Dns DNS =
            new Dns(List.of("10.96.0.10"), "cluster.local", List.of("a", "b"), List.of("ndots:5"));

    private static final CniResult DUAL = new CniResult(LINKS, List.of(IPV4, IPV6), ROUTES, Dns.NONE);
    private static final CniResult LINK_ONLY = new CniResult(LINKS, List.of(), List.of(), Dns.NONE);

    @ParameterizedTest
    @EnumSource(names = {"V0_1_0", "V0_2_0"})
    void oldestShapeHasAnObjectPerFamily(CniVersion version) throws CniException {
        assertThat(ResultEncoder.encode(DUAL, version)).isEqualTo(line("""
                {"cniVersion":"VERSION",
                "ip4":{"ip":"10.1.2.2/24","gateway":"10.1.2.1",
                "routes":[{"dst":"0.0.0.0/0","gw":"10.1.2.1"},{"dst":"192.168.0.0/16"}]},
                "ip6":{"ip":"2001:db8::2/64","gateway":"2001:db8::1",
                "routes":[{"dst":"::/0","gw":"2001:db8::1"}]},
                "dns":{}}""", version));
    }

    @ParameterizedTest
    @EnumSource(names = {"V0_3_0", "V0_3_1", "V0_4_0"})
    void middleShapeSaysEachAddressesVersion(CniVersion version) throws CniException {
        assertThat(ResultEncoder.encode(DUAL, version)).isEqualTo(line("""
                {"cniVersion":"VERSION",
                "interfaces":[{"name":"cni0","mac":"02:00:00:00:00:01"},
                {"name":"veth1234abcd","mac":"02:00:00:00:00:02"},
                {"name":"eth0","mac":"02:00:00:00:00:03","sandbox":"/run/netns/pod"}],
                "ips":[{"version":"4","interface":2,"address":"10.1.2.2/24","gateway":"10.1.2.1"},
                {"version":"6","interface":2,"address":"2001:db8::2/64","gateway":"2001:db8::1"}],
                "routes":[{"dst":"0.0.0.0/0","gw":"10.1.2.1"},{"dst":"192.168.0.0/16"},
                {"dst":"::/0","gw":"2001:db8::1"}],
                "dns":{}}""", version));
    }

    @Test
    void version100DropsAddressVersionsAndEmptyDns() throws CniException {
        assertThat(ResultEncoder.encode(DUAL, CniVersion.V1_0_0)).isEqualTo(line("""
                {"cniVersion":"VERSION",
                "interfaces":[{"name":"cni0","mac":"02:00:00:00:00:01"},
                {"name":"veth1234abcd","mac":"02:00:00:00:00:02"},
                {"name":"eth0","mac":"02:00:00:00:00:03","sandbox":"/run/netns/pod"}],
                "ips":[{"interface":2,"address":"10.1.2.2/24","gateway":"10.1.2.1"},
                {"interface":2,"address":"2001:db8::2/64","gateway":"2001:db8::1"}],
                "routes":[{"dst":"0.0.0.0/0","gw":"10.1.2.1"},{"dst":"192.168.0.0/16"},
                {"dst":"::/0","gw":"2001:db8::1"}]}""", CniVersion.V1_0_0));
    }

    @Test
    void version110AddsTheMtu() throws CniException {
        assertThat(ResultEncoder.encode(DUAL, CniVersion.V1_1_0)).isEqualTo(line("""
                {"cniVersion":"VERSION",
                "interfaces":[{"name":"cni0","mac":"02:00:00:00:00:01","mtu":1500},
                {"name":"veth1234abcd","mac":"02:00:00:00:00:02","mtu":1400},
                {"name":"eth0","mac":"02:00:00:00:00:03","mtu":1400,"sandbox":"/run/netns/pod"}],
                "ips":[{"interface":2,"address":"10.1.2.2/24","gateway":"10.1.2.1"},
                {"interface":2,"address":"2001:db8::2/64","gateway":"2001:db8::1"}],
                "routes":[{"dst":"0.0.0.0/0","gw":"10.1.2.1"},{"dst":"192.168.0.0/16"},
                {"dst":"::/0","gw":"2001:db8::1"}]}""", CniVersion.V1_1_0));
    }

    @Test
    void tellsDnsInFull() throws CniException {
        CniResult result = new CniResult(List.of(LINKS.get(0)), List.of(), List.of(), DNS);
        assertThat(ResultEncoder.encode(result, CniVersion.V1_0_0)).isEqualTo(line("""
                {"cniVersion":"VERSION",
                "interfaces":[{"name":"cni0","mac":"02:00:00:00:00:01"}],
                "dns":{"nameservers":["10.96.0.10"],"domain":"cluster.local",
                "search":["a","b"],"options":["ndots:5"]}}""", CniVersion.V1_0_0));
    }

    @ParameterizedTest
    @EnumSource(names = {"V0_1_0", "V0_2_0"})
    void hasNoOldShapeForLinksWithoutAddresses(CniVersion version) {
        assertThatThrownBy(() -> ResultEncoder.encode(LINK_ONLY, version))
                .isInstanceOf(CniException.class)
                .hasMessage("cannot convert: no valid IP addresses");
    }

    @Test
    void leavesOutEmptyListsOfLinksWithoutAddresses() throws CniException {
        assertThat(ResultEncoder.encode(LINK_ONLY, CniVersion.V1_0_0)).doesNotContain("ips", "routes", "dns");
        assertThat(ResultEncoder.encode(LINK_ONLY, CniVersion.V0_4_0))
                .doesNotContain("ips", "routes")
                .endsWith("],\"dns\":{}}");
    }

    private static CniResult.Ip ip(String address, String gateway) {
        return new CniResult.Ip(Optional.of(2), Cidr.parse(address), Optional.of(IpAddress.parse(gateway)));
    }

    private static String line(String text, CniVersion version) {
        return text.replace("\n", "").replace("VERSION", version.toString());
    }
}
