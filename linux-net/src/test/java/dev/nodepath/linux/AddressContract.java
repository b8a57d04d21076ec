package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static dev.nodepath.linux.ContractFixture.onLink;
import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of links and the routes that come and go with them. */
interface AddressContract extends ContractFixture {

    @ParameterizedTest
    @ValueSource(strings = {"10.1.0.1/24", "10.1.0.1/31", "10.1.0.1/32", "10.1.0.1/8", "fd00::1/64", "fd00::1/128"})
    default void addsAndDeletesAddress(String text) throws Exception {
        Cidr address = Cidr.parse(text);
        int link = wire("v0", "p0").index();
        near().addAddress(link, address);
        assertThat(near().addresses()).contains(new InterfaceAddress(link, address, false, false, 0));
        assertRefused(Errno.EEXIST, () -> near().addAddress(link, address));
        near().deleteAddress(link, address);
        assertThat(addressesOf(link)).isEmpty();
        assertThat(routes()).isEmpty();
        LinuxNetException refusal = assertRefused(Errno.EADDRNOTAVAIL, () -> near().deleteAddress(link, address));
        assertThat(refusal.isMissing()).isTrue();
        assertThat(refusal).hasMessageContaining(text);
    }

    @Test
    default void listsTheAddressesOfOneLink() throws Exception {
        Link link = wire("v0", "p0");
        Link other = wire("v1", "p1");
        near().addAddress(link.index(), Cidr.parse("10.0.0.1/24"));
        near().addAddress(link.index(), Cidr.parse("fd00::1/64"), new AddressOptions(false, 110));
        near().addAddress(other.index(), Cidr.parse("10.0.1.1/24"));
        assertThat(near().addresses(link.index()))
                .contains(new InterfaceAddress(link.index(), Cidr.parse("10.0.0.1/24"), false, false, 0))
                .contains(new InterfaceAddress(link.index(), Cidr.parse("fd00::1/64"), false, false, 110))
                .allMatch(address -> address.linkIndex() == link.index());
        assertRefused(Errno.ENODEV, () -> near().addresses(4711));
    }

    @Test
    default void ipv6AddressIsNeverTentative() throws Exception {
        Link link = veth("v0", "p0");
        near().setUp(link.index(), true);
        near().addAddress(link.index(), Cidr.parse("fd00::1/64"));
        far().addAddress(link.peerIndex(), Cidr.parse("fd00::2/64"));
        far().setUp(link.peerIndex(), true);
        assertThat(far().addresses())
                .contains(new InterfaceAddress(link.peerIndex(), Cidr.parse("fd00::2/64"), false, false, 0));
        assertThat(near().addresses())
                .contains(new InterfaceAddress(link.index(), Cidr.parse("fd00::1/64"), false, false, 0));
    }

    @Test
    default void prefixLengthIsPartOfAnIpv4AddressOnly() throws Exception {
        int link = veth("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("10.1.0.1/16"));
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        assertRefused(Errno.EEXIST, () -> near().addAddress(link, Cidr.parse("fd00::1/80")));
        assertRefused(Errno.EADDRNOTAVAIL, () -> near().deleteAddress(link, Cidr.parse("fd00::1/80")));
        assertRefused(Errno.EADDRNOTAVAIL, () -> near().deleteAddress(link, Cidr.parse("10.1.0.1/8")));
        assertThat(addressesOf(link))
                .containsExactlyInAnyOrder(
                        Cidr.parse("10.1.0.1/24"), Cidr.parse("10.1.0.1/16"), Cidr.parse("fd00::1/64"));
    }

    @Test
    default void oneAddressCanBeOnTwoLinks() throws Exception {
        int first = veth("v0", "p0").index();
        int second = veth("v1", "p1").index();
        for (String address : new String[] {"10.1.0.1/24", "fd00::1/64"}) {
            near().addAddress(first, Cidr.parse(address));
            near().addAddress(second, Cidr.parse(address));
        }
        assertThat(addressesOf(first)).hasSize(2);
        assertThat(addressesOf(second)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.0.1/24", "fd00::1/64"})
    default void linkThatIsGoneHasNoAddresses(String address) {
        assertRefused(Errno.ENODEV, () -> near().addAddress(4711, Cidr.parse(address)));
        assertRefused(Errno.ENODEV, () -> near().deleteAddress(4711, Cidr.parse(address)));
    }

    @Test
    default void ipv6LoopbackBelongsToLoopbackOnly() throws Exception {
        int link = veth("v0", "p0").index();
        assertRefused(Errno.EADDRNOTAVAIL, () -> near().addAddress(link, Cidr.parse("::1/128")));
    }

    @Test
    default void loopbackGetsItsAddressesWhenItComesUp() throws Exception {
        near().setUp(1, true);
        assertThat(addressesOf(1)).containsExactlyInAnyOrder(Cidr.parse("127.0.0.1/8"), Cidr.parse("::1/128"));
        assertThat(routes()).allMatch(route -> route.destination().equals(Cidr.parse("::1/128")));
        near().addAddress(1, Cidr.parse("10.96.0.10/32"));
        near().addAddress(1, Cidr.parse("fd96::10/128"));
        assertThat(addressesOf(1)).contains(Cidr.parse("10.96.0.10/32"), Cidr.parse("fd96::10/128"));
    }

    @Test
    default void connectedRoutesComeWithAddressAndLinkUp() throws Exception {
        int link = veth("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("10.2.0.1/32"));
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addAddress(link, Cidr.parse("fd01::1/128"));
        assertThat(routes()).isEmpty();
        near().setUp(link, true);
        assertThat(routes())
                .containsExactlyInAnyOrder(
                        onLink("10.1.0.0/24", link), onLink("fd00::/64", link), onLink("fd01::1/128", link));
        near().addAddress(link, Cidr.parse("10.3.0.1/16"));
        assertThat(routes()).contains(onLink("10.3.0.0/16", link));
    }

    @Test
    default void linkDownTakesRoutesAndIpv6Addresses() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addRoute(via("0.0.0.0/0", "10.1.0.2", link));
        near().addRoute(via("::/0", "fd00::2", link));
        near().setUp(link, false);
        assertThat(routes()).isEmpty();
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("10.1.0.1/24"));
        near().setUp(link, true);
        assertThat(routes()).containsExactly(onLink("10.1.0.0/24", link));
    }

    @Test
    default void keepAddrOnDownKeepsIpv6Addresses() throws Exception {
        int link = wire("v0", "p0").index();
        near().setSysctl("net/ipv6/conf/v0/keep_addr_on_down", "1");
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().setUp(link, false);
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("fd00::1/64"));
        near().setUp(link, true);
        assertThat(routes()).containsExactly(onLink("fd00::/64", link));
    }

    @Test
    default void deletedLinkTakesItsAddressesAndRoutes() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addRoute(via("0.0.0.0/0", "10.1.0.2", link));
        near().deleteLink(link);
        assertThat(addressesOf(link)).isEmpty();
        assertThat(routes()).isEmpty();
    }

    @Test
    default void lastIpv4AddressTakesAllIpv4RoutesOfTheLink() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("10.2.0.1/24"));
        near().addRoute(via("10.9.0.0/16", "10.1.0.2", link));
        near().deleteAddress(link, Cidr.parse("10.1.0.1/24"));
        assertThat(routes())
                .containsExactlyInAnyOrder(onLink("10.2.0.0/24", link), via("10.9.0.0/16", "10.1.0.2", link));
        near().deleteAddress(link, Cidr.parse("10.2.0.1/24"));
        assertThat(routes()).isEmpty();
    }

    @Test
    default void ipv6RoutesOutliveTheAddressTheyWereReachedBy() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addRoute(via("fd09::/64", "fd00::2", link));
        near().deleteAddress(link, Cidr.parse("fd00::1/64"));
        assertThat(routes()).containsExactly(via("fd09::/64", "fd00::2", link));
    }

    @Test
    default void secondaryIpv4AddressesGoWithThePrimary() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("10.1.0.2/24"));
        assertThat(routes()).containsExactly(onLink("10.1.0.0/24", link));
        near().deleteAddress(link, Cidr.parse("10.1.0.2/24"));
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("10.1.0.1/24"));
        assertThat(routes()).containsExactly(onLink("10.1.0.0/24", link));
        near().addAddress(link, Cidr.parse("10.1.0.2/24"));
        near().deleteAddress(link, Cidr.parse("10.1.0.1/24"));
        assertThat(addressesOf(link)).isEmpty();
        assertThat(routes()).isEmpty();
    }

    @Test
    default void promotedSecondaryKeepsTheRoute() throws Exception {
        int link = wire("v0", "p0").index();
        near().setSysctl("net/ipv4/conf/v0/promote_secondaries", "1");
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("10.1.0.2/24"));
        near().deleteAddress(link, Cidr.parse("10.1.0.1/24"));
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("10.1.0.2/24"));
        assertThat(routes()).containsExactly(onLink("10.1.0.0/24", link));
    }

    @Test
    default void twoIpv6AddressesShareOneConnectedRoute() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addAddress(link, Cidr.parse("fd00::2/64"));
        near().deleteAddress(link, Cidr.parse("fd00::1/64"));
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("fd00::2/64"));
        assertThat(routes()).containsExactly(onLink("fd00::/64", link));
    }

    @Test
    default void ipv6CanBeDisabledForAllAndEnabledForOne() throws Exception {
        int first = wire("v0", "p0").index();
        int second = wire("v1", "p1").index();
        near().addAddress(second, Cidr.parse("fd01::1/64"));
        near().setSysctl("net/ipv6/conf/all/disable_ipv6", "1");
        near().setSysctl("net/ipv6/conf/v0/disable_ipv6", "0");
        near().addAddress(first, Cidr.parse("fd00::1/64"));
        assertThat(addressesOf(first)).containsExactly(Cidr.parse("fd00::1/64"));
        assertThat(addressesOf(second)).isEmpty();
        assertRefused(Errno.EACCES, () -> near().addAddress(second, Cidr.parse("fd01::1/64")));
    }

    @Test
    default void disabledIpv6RefusesAddressesAndDropsThoseThere() throws Exception {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().setSysctl("net/ipv6/conf/v0/disable_ipv6", "1");
        assertThat(addressesOf(link)).containsExactly(Cidr.parse("10.1.0.1/24"));
        assertThat(routes()).containsExactly(onLink("10.1.0.0/24", link));
        assertRefused(Errno.EACCES, () -> near().addAddress(link, Cidr.parse("fd00::1/64")));
        near().setSysctl("net/ipv6/conf/v0/disable_ipv6", "0");
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        assertThat(near().addresses()).contains(new InterfaceAddress(link, Cidr.parse("fd00::1/64"), false, false, 0));
    }
}
