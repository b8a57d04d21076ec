package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static dev.nodepath.linux.ContractFixture.onLink;
import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Routes of the main table. */
interface RouteContract extends ContractFixture {
    @Test
    default void looksUpTheRouteToAnAddress() throws Exception {
        assertThat(near().routeTo(IpAddress.parse("192.0.2.1"))).isEmpty();
        assertThat(near().routeTo(IpAddress.parse("2001:db8::1"))).isEmpty();
        Link link = wire("v0", "p0");
        near().addAddress(link.index(), Cidr.parse("10.0.0.1/24"));
        near().addAddress(link.index(), Cidr.parse("fd00::1/64"));
        near().addRoute(via("0.0.0.0/0", "10.0.0.9", link.index()));
        near().addRoute(via("::/0", "fd00::9", link.index()));
        assertThat(near().routeTo(IpAddress.parse("192.0.2.1"))).contains(via("0.0.0.0/0", "10.0.0.9", link.index()));
        assertThat(near().routeTo(IpAddress.parse("10.0.0.7"))).contains(onLink("10.0.0.0/24", link.index()));
        assertThat(near().routeTo(IpAddress.parse("2001:db8::1"))).contains(via("::/0", "fd00::9", link.index()));
    }

    @Test
    default void addsRoutesWithOptionsBesideOthers() throws Exception {
        Link link = wire("v0", "p0");
        near().addAddress(link.index(), Cidr.parse("10.0.0.1/24"));
        near().addRoute(via("10.9.0.0/16", "10.0.0.9", link.index()));
        Route second = via("10.9.0.0/16", "10.0.0.8", link.index());
        near().addRoute(second, RouteOptions.DEFAULT);
        assertRefused(Errno.EEXIST, () -> near().addRoute(second, RouteOptions.DEFAULT));
        RouteOptions options = new RouteOptions(
                Optional.of(1400), Optional.of(1300), Optional.of(7), Optional.empty(), Optional.of(0));
        near().addRoute(via("10.8.0.0/16", "10.0.0.9", link.index()), options);
        RouteOptions elsewhere = new RouteOptions(
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(1000), Optional.empty());
        near().addRoute(via("10.7.0.0/16", "10.0.0.9", link.index()), elsewhere);
        assertThat(routes())
                .contains(second, via("10.8.0.0/16", "10.0.0.9", link.index()))
                .doesNotContain(via("10.7.0.0/16", "10.0.0.9", link.index()));
    }

    /** A veth whose near end has 10.1.0.1/24 and fd00::1/64 and the connected routes of both. */
    private int addressedLink() throws LinuxNetException {
        int link = wire("v0", "p0").index();
        near().addAddress(link, Cidr.parse("10.1.0.1/24"));
        near().addAddress(link, Cidr.parse("fd00::1/64"));
        return link;
    }

    private void assertRoutes(int link, Route... others) throws LinuxNetException {
        List<Route> expected = new ArrayList<>(Arrays.asList(others));
        expected.add(onLink("10.1.0.0/24", link));
        expected.add(onLink("fd00::/64", link));
        assertThat(routes()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0/0, 10.1.0.2",
        "10.9.0.0/16, 10.1.0.2",
        "10.9.0.7/32, 10.1.0.2",
        "::/0, fd00::2",
        "fd09::/48, fd00::2",
        "fd09::7/128, fd00::2"
    })
    default void addsAndDeletesRoutes(String destination, String gateway) throws Exception {
        int link = addressedLink();
        Route route = via(destination, gateway, link);
        near().addRoute(route);
        assertRoutes(link, route);
        assertThat(assertRefused(Errno.EEXIST, () -> near().addRoute(route)).isExists())
                .isTrue();
        near().deleteRoute(route);
        assertRoutes(link);
        LinuxNetException refusal = assertRefused(Errno.ESRCH, () -> near().deleteRoute(route));
        assertThat(refusal.isMissing()).isTrue();
        assertThat(refusal).hasMessageContaining(destination).hasMessageContaining(gateway);
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16", "fd09::/48"})
    default void addsRouteOnTheLinkItself(String destination) throws Exception {
        int link = addressedLink();
        near().addRoute(onLink(destination, link));
        assertRoutes(link, onLink(destination, link));
        assertRefused(Errno.EEXIST, () -> near().addRoute(onLink(destination, link)));
        near().deleteRoute(onLink(destination, link));
        assertRoutes(link);
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16, 10.1.0.2", "fd09::/48, fd00::2"})
    default void kernelFindsTheLinkFromTheGateway(String destination, String gateway) throws Exception {
        int link = addressedLink();
        near().addRoute(via(destination, gateway, 0));
        assertRoutes(link, via(destination, gateway, link));
    }

    @Test
    default void gatewayMayBeReachedByARouteOnTheLink() throws Exception {
        int link = wire("v0", "p0").index();
        near().addRoute(onLink("169.254.1.1/32", link));
        near().addRoute(via("0.0.0.0/0", "169.254.1.1", link));
        assertThat(routes())
                .containsExactlyInAnyOrder(onLink("169.254.1.1/32", link), via("0.0.0.0/0", "169.254.1.1", link));
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16, 10.7.0.1, ENETUNREACH", "fd09::/48, fd07::1, EHOSTUNREACH"})
    default void refusesGatewayThatIsOnNoLink(String destination, String gateway, Errno errno) throws Exception {
        int link = addressedLink();
        assertRefused(errno, () -> near().addRoute(via(destination, gateway, 0)));
        assertRefused(errno, () -> near().addRoute(via(destination, gateway, link)));
        assertRefused(errno, () -> near().replaceRoute(via(destination, gateway, link)));
        assertRoutes(link);
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16, 10.8.0.1, 10.8.0.0/16, 10.1.0.2, ENETUNREACH"})
    default void refusesGatewayBehindAGateway(String destination, String gateway, String via, String next, Errno errno)
            throws Exception {
        int link = addressedLink();
        near().addRoute(via(via, next, link));
        assertRefused(errno, () -> near().addRoute(via(destination, gateway, 0)));
    }

    @Test
    default void refusesGatewayOfTheOtherFamily() throws Exception {
        int link = addressedLink();
        assertRefused(Errno.EINVAL, () -> near().addRoute(via("10.9.0.0/16", "fd00::2", link)));
        assertRefused(Errno.EINVAL, () -> near().addRoute(via("fd09::/48", "10.1.0.2", link)));
    }

    @Test
    default void ownAddressAsGatewayIsTakenForIpv4Only() throws Exception {
        int link = addressedLink();
        near().addRoute(via("10.9.0.0/16", "10.1.0.1", 0));
        assertRoutes(link, via("10.9.0.0/16", "10.1.0.1", link));
        assertRefused(Errno.EINVAL, () -> near().addRoute(via("fd09::/48", "fd00::1", 0)));
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16", "fd09::/48"})
    default void refusesLinksThatCannotCarryARoute(String destination) throws Exception {
        int down = veth("v1", "p1").index();
        assertRefused(Errno.ENODEV, () -> near().addRoute(onLink(destination, 0)));
        assertRefused(Errno.ENODEV, () -> near().addRoute(onLink(destination, 4711)));
        assertRefused(Errno.ENETDOWN, () -> near().addRoute(onLink(destination, down)));
    }

    @ParameterizedTest
    @CsvSource({
        "10.9.0.0/16, 10.1.0.2, 10.1.0.0/24, ENETUNREACH, ENETUNREACH",
        "fd09::/48, fd00::2, fd00::/64, EHOSTUNREACH, ENODEV"
    })
    default void refusesGatewayOnALinkThatIsDownOrGone(
            String destination, String gateway, String network, Errno down, Errno gone) throws Exception {
        int link = veth("v1", "p1").index();
        near().addAddress(
                        link,
                        new Cidr(
                                IpAddress.parse(gateway).plus(1),
                                Cidr.parse(network).prefixLength()));
        assertRefused(down, () -> near().addRoute(via(destination, gateway, link)));
        assertRefused(gone, () -> near().addRoute(via(destination, gateway, 4711)));
    }

    @Test
    default void hostBitsAreRefusedForIpv4AndClearedForIpv6() throws Exception {
        int link = addressedLink();
        assertRefused(Errno.EINVAL, () -> near().addRoute(via("10.9.0.1/16", "10.1.0.2", link)));
        near().addRoute(via("fd09::1/48", "fd00::2", link));
        assertRoutes(link, via("fd09::/48", "fd00::2", link));
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16, 10.1.0.2, 10.1.0.3", "fd09::/48, fd00::2, fd00::3", "0.0.0.0/0, 10.1.0.2, 10.1.0.3"})
    default void replacesOrAdds(String destination, String first, String second) throws Exception {
        int link = addressedLink();
        near().replaceRoute(via(destination, first, link));
        assertRoutes(link, via(destination, first, link));
        near().replaceRoute(via(destination, second, link));
        assertRoutes(link, via(destination, second, link));
        near().replaceRoute(via(destination, second, link));
        assertRoutes(link, via(destination, second, link));
    }

    @Test
    default void routeThatEqualsAConnectedOneExistsForIpv4Only() throws Exception {
        int link = addressedLink();
        assertRefused(Errno.EEXIST, () -> near().addRoute(via("10.1.0.0/24", "10.1.0.2", link)));
        near().addRoute(via("fd00::/64", "fd00::2", link));
        assertRoutes(link, via("fd00::/64", "fd00::2", link));
    }

    @Test
    default void deletingMatchesWhatIsGiven() throws Exception {
        int link = addressedLink();
        Link other = wire("v1", "p1");
        Route route = via("10.9.0.0/16", "10.1.0.2", link);
        near().addRoute(route);
        assertRefused(Errno.ESRCH, () -> near().deleteRoute(via("10.9.0.0/16", "10.1.0.3", link)));
        assertRefused(Errno.ESRCH, () -> near().deleteRoute(via("10.9.0.0/16", "10.1.0.2", other.index())));
        assertRefused(Errno.ESRCH, () -> near().deleteRoute(via("10.9.0.0/17", "10.1.0.2", link)));
        assertRoutes(link, route);
        near().deleteRoute(onLink("10.9.0.0/16", 0));
        assertRoutes(link);
    }

    @ParameterizedTest
    @CsvSource({"10.9.0.0/16, 10.1.0.2, 10.1.0.3, 0", "fd09::/48, fd00::2, fd00::3, 1024"})
    default void routesBearTheirProtocol(String destination, String first, String second, int priority)
            throws Exception {
        int link = addressedLink();
        RouteOptions ours = RouteOptions.of(110, false);
        Route route = via(destination, first, link);
        near().addRouteIfAbsent(route, ours);
        assertRefused(Errno.EEXIST, () -> near().addRouteIfAbsent(via(destination, second, link), ours));
        near().replaceRoute(via(destination, second, link), ours);
        assertThat(near().listedRoutes().stream()
                        .filter(each -> each.options().protocol().equals(Optional.of(110))))
                .containsExactly(new ListedRoute(
                        via(destination, second, link),
                        RouteOptions.of(110, false)
                                .withPriority(priority == 0 ? Optional.empty() : Optional.of(priority))));
        assertRefused(
                Errno.ESRCH, () -> near().deleteRoute(via(destination, second, link), RouteOptions.of(111, false)));
        near().deleteRoute(via(destination, second, link), ours);
        assertRoutes(link);
    }

    @Test
    default void listsTheMtuOfARoute() throws Exception {
        int link = addressedLink();
        RouteOptions options = new RouteOptions(
                Optional.of(1400), Optional.of(1300), Optional.of(7), Optional.empty(), Optional.empty());
        near().addRoute(via("10.8.0.0/16", "10.1.0.2", link), options);
        assertThat(near().listedRoutes())
                .contains(new ListedRoute(
                        via("10.8.0.0/16", "10.1.0.2", link),
                        new RouteOptions(
                                Optional.of(1400),
                                Optional.of(1300),
                                Optional.of(7),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(4),
                                false)));
    }
}
