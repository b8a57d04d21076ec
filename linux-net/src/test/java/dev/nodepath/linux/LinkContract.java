package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Links: making, changing and deleting them, and the kernel's refusals. */
interface LinkContract extends ContractFixture {
    int GONE = 4711;

    @Test
    default void newNamespaceHasLoopbackOnlyAndDown() throws Exception {
        assertThat(near().links()).singleElement().satisfies(lo -> {
            assertThat(lo.index()).isEqualTo(1);
            assertThat(lo.name()).isEqualTo("lo");
            assertThat(lo.kind()).isEmpty();
            assertThat(lo.mtu()).isEqualTo(65536);
            assertThat(lo.up()).isFalse();
            assertThat(lo.mac()).contains(MacAddress.parse("00:00:00:00:00:00"));
        });
        assertThat(near().addresses()).isEmpty();
        assertThat(near().routes()).isEmpty();
    }

    @Test
    default void createsBridgeAsAsked() throws Exception {
        MacAddress mac = MacAddress.parse("0a:58:0a:f4:01:01");
        Link bridge = near().createBridge(new BridgeSpec("br0", Optional.of(mac), Optional.of(1400), true));
        assertThat(bridge)
                .hasToString("Link[index=" + bridge.index() + ", name=br0, kind=bridge, mac=Optional[" + mac
                        + "], mtu=1400, up=false, running=false, "
                        + "masterIndex=0, peerIndex=0, alias=, promiscuous=false, hairpin=false, "
                        + "isolated=false, vlanFiltering=false, netfilter=[IPv4, IPv6], vxlan=Optional.empty]");
        assertThat(bridge.index()).isGreaterThan(1);
        assertThat(near().link("br0")).contains(bridge);
        assertThat(near().links()).contains(bridge);
        assertThat(far().link("br0")).isEmpty();
    }

    @Test
    default void bridgeMacFollowsPortsOnlyIfNotGiven() throws Exception {
        Link pinned = bridge("br0");
        Link free = near().createBridge(new BridgeSpec("br1", Optional.empty(), Optional.empty(), false));
        assertThat(free.mtu()).isEqualTo(1500);
        Link port0 = veth("v0", "p0");
        Link port1 = veth("v1", "p1");
        near().setMaster(port0.index(), pinned.index());
        near().setMaster(port1.index(), free.index());
        assertThat(read(near(), pinned.index()).mac()).isEqualTo(pinned.mac());
        assertThat(read(near(), free.index()).mac()).isEqualTo(port1.mac());
    }

    @Test
    default void bridgeMacStaysOnceItIsSetAlsoToItself() throws Exception {
        Link bridge = near().createBridge(new BridgeSpec("br1", Optional.empty(), Optional.empty(), false));
        near().setMaster(veth("v0", "p0").index(), bridge.index());
        MacAddress mac = read(near(), bridge.index()).mac().orElseThrow();
        near().setMac(bridge.index(), mac);
        near().deleteLink(near().link("v0").orElseThrow().index());
        near().setMaster(veth("v1", "p1").index(), bridge.index());
        assertThat(read(near(), bridge.index()).mac()).contains(mac);
    }

    @Test
    default void bridgeMtuFollowsPortsUntilSetByHand() throws Exception {
        Link bridge = near().createBridge(new BridgeSpec("br0", Optional.empty(), Optional.of(1400), false));
        Link port = veth("v0", "p0");
        near().setMaster(port.index(), bridge.index());
        assertThat(read(near(), bridge.index()).mtu()).isEqualTo(1500);
        near().setMtu(port.index(), 1300);
        assertThat(read(near(), bridge.index()).mtu()).isEqualTo(1300);
        near().setMtu(bridge.index(), 1200);
        near().setMtu(port.index(), 1450);
        assertThat(read(near(), bridge.index()).mtu()).isEqualTo(1200);
    }

    @Test
    default void createsVethAcrossNamespaces() throws Exception {
        MacAddress mac = MacAddress.parse("0a:58:0a:f4:01:02");
        Link link = near().createVeth(new VethSpec("eth0", Optional.of(mac), "veth0", far(), Optional.of(1400)));
        assertThat(link.kind()).isEqualTo("veth");
        assertThat(link.mac()).contains(mac);
        assertThat(link.mtu()).isEqualTo(1400);
        Link peer = far().link("veth0").orElseThrow();
        assertThat(peer.index()).isEqualTo(link.peerIndex());
        assertThat(peer.peerIndex()).isEqualTo(link.index());
        assertThat(peer.mtu()).isEqualTo(1400);
        assertThat(peer.kind()).isEqualTo("veth");
        assertThat(peer.mac()).isPresent().isNotEqualTo(link.mac());
        assertThat(near().link("veth0")).isEmpty();
        assertThat(far().link("eth0")).isEmpty();
    }

    @Test
    default void createsVethInOneNamespace() throws Exception {
        Link link = near().createVeth(new VethSpec("a", Optional.empty(), "b", near(), Optional.empty()));
        Link peer = near().link("b").orElseThrow();
        assertThat(link.peerIndex()).isEqualTo(peer.index());
        assertThat(peer.peerIndex()).isEqualTo(link.index());
        assertThat(link.mtu()).isEqualTo(1500);
    }

    @Test
    default void refusesNamesThatAreTaken() throws Exception {
        Link bridge = bridge("br0");
        far().createBridge(new BridgeSpec("taken", Optional.empty(), Optional.empty(), false));
        assertRefused(Errno.EEXIST, () -> bridge("br0")).isExists();
        assertRefused(Errno.EEXIST, () -> bridge("lo"));
        assertRefused(Errno.EEXIST, () -> veth("br0", "p0"));
        LinuxNetException refusal = assertRefused(Errno.EEXIST, () -> veth("v0", "taken"));
        assertThat(refusal)
                .hasMessageContaining("v0")
                .hasMessageContaining("taken")
                .hasMessageContaining("EEXIST");
        assertRefused(
                Errno.EEXIST,
                () -> near().createVeth(new VethSpec("a", Optional.empty(), "a", near(), Optional.empty())));
        assertThat(near().links()).extracting(Link::name).containsExactly("lo", "br0");
        assertThat(far().links()).extracting(Link::name).containsExactly("lo", "taken");
        assertThat(near().link("br0")).contains(bridge);
    }

    @ParameterizedTest
    @CsvSource({
        "sixteen-letters-, ERANGE",
        "a/b, EINVAL",
        "a:b, EINVAL",
        "'a b', EINVAL",
        "., EINVAL",
        ".., EINVAL",
        "veth%d, EINVAL",
        "'', EINVAL",
        "acht-bär-ääää, ERANGE"
    })
    default void refusesNamesThatNoLinkCanHave(String name, Errno errno) throws Exception {
        assertRefused(errno, () -> bridge(name));
        assertRefused(errno, () -> veth(name, "p0"));
        assertRefused(errno, () -> veth("v0", name));
        assertThat(near().link(name)).isEmpty();
        assertThat(near().links()).hasSize(1);
        assertThat(far().links()).hasSize(1);
    }

    @Test
    default void takesTheLongestName() throws Exception {
        assertThat(bridge("fifteen-letters").name()).hasSize(15);
        assertThat(near().link("fifteen-letters")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 67, 65536})
    default void refusesMtuOutsideTheLimits(int mtu) throws Exception {
        assertRefused(
                Errno.EINVAL,
                () -> near().createBridge(new BridgeSpec("br0", Optional.empty(), Optional.of(mtu), false)));
        assertRefused(
                Errno.EINVAL,
                () -> near().createVeth(new VethSpec("v0", Optional.empty(), "p0", far(), Optional.of(mtu))));
        int bridge = bridge("br1").index();
        int veth = veth("v1", "p1").index();
        assertRefused(Errno.EINVAL, () -> near().setMtu(bridge, mtu));
        assertRefused(Errno.EINVAL, () -> near().setMtu(veth, mtu));
        assertThat(read(near(), veth).mtu()).isEqualTo(1500);
        assertThat(near().link("br0")).isEmpty();
        assertThat(near().link("v0")).isEmpty();
        assertThat(far().link("p0")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {68, 9000, 65535})
    default void takesMtuWithinTheLimits(int mtu) throws Exception {
        int bridge = bridge("br0").index();
        Link veth = veth("v0", "p0");
        near().setMtu(bridge, mtu);
        near().setMtu(veth.index(), mtu);
        assertThat(read(near(), bridge).mtu()).isEqualTo(mtu);
        assertThat(read(near(), veth.index()).mtu()).isEqualTo(mtu);
        assertThat(read(far(), veth.peerIndex()).mtu()).isEqualTo(1500);
    }

    @Test
    default void loopbackMtuHasNoUpperLimit() throws Exception {
        near().setMtu(1, 70_000);
        assertThat(read(near(), 1).mtu()).isEqualTo(70_000);
        assertRefused(Errno.EINVAL, () -> near().setMtu(1, -1));
    }

    @Test
    default void vethRunsWhenBothEndsAreUp() throws Exception {
        Link link = veth("v0", "p0");
        near().setUp(link.index(), true);
        assertThat(read(near(), link.index()).up()).isTrue();
        assertThat(read(near(), link.index()).running()).isFalse();
        far().setUp(link.peerIndex(), true);
        Eventually.isTrue(
                "both ends run",
                () -> read(near(), link.index()).running()
                        && read(far(), link.peerIndex()).running());
        far().setUp(link.peerIndex(), false);
        Eventually.isTrue(
                "no end runs",
                () -> !read(near(), link.index()).running()
                        && !read(far(), link.peerIndex()).running());
        assertThat(read(near(), link.index()).up()).isTrue();
    }

    @Test
    default void bridgeRunsWhenAPortRuns() throws Exception {
        Link bridge = bridge("br0");
        near().setUp(bridge.index(), true);
        assertThat(read(near(), bridge.index()).running()).isFalse();
        Link port = wire("v0", "p0");
        near().setMaster(port.index(), bridge.index());
        Eventually.isTrue("the bridge runs", () -> read(near(), bridge.index()).running());
    }

    @Test
    default void movesPortFromBridgeToBridge() throws Exception {
        int port = veth("v0", "p0").index();
        int first = bridge("br0").index();
        int second = bridge("br1").index();
        near().setMaster(port, first);
        near().setMaster(port, first);
        assertThat(read(near(), port).masterIndex()).isEqualTo(first);
        near().setMaster(port, second);
        assertThat(read(near(), port).masterIndex()).isEqualTo(second);
        near().setMaster(port, 0);
        near().setMaster(port, 0);
        assertThat(read(near(), port).masterIndex()).isZero();
    }

    @Test
    default void refusesMastersThatCannotBe() throws Exception {
        int bridge = bridge("br0").index();
        int other = bridge("br1").index();
        int veth = veth("v0", "p0").index();
        int second = veth("v1", "p1").index();
        assertRefused(Errno.EINVAL, () -> near().setMaster(veth, GONE));
        assertRefused(Errno.EINVAL, () -> near().setMaster(1, bridge));
        assertRefused(Errno.EOPNOTSUPP, () -> near().setMaster(veth, second));
        assertRefused(Errno.EOPNOTSUPP, () -> near().setMaster(veth, veth));
        assertRefused(Errno.ELOOP, () -> near().setMaster(other, bridge));
        assertRefused(Errno.ELOOP, () -> near().setMaster(bridge, bridge));
        assertThat(near().links())
                .allSatisfy(link -> assertThat(link.masterIndex()).isZero());
    }

    @Test
    default void portIsFreedEvenIfTheNewMasterIsRefused() throws Exception {
        int bridge = bridge("br0").index();
        int port = veth("v0", "p0").index();
        int notABridge = veth("v1", "p1").index();
        near().setMaster(port, bridge);
        near().setHairpin(port, true);
        assertRefused(Errno.EINVAL, () -> near().setMaster(port, GONE));
        assertThat(read(near(), port).masterIndex()).isZero();
        near().setMaster(port, bridge);
        assertRefused(Errno.EOPNOTSUPP, () -> near().setMaster(port, notABridge));
        assertThat(read(near(), port).masterIndex()).isZero();
    }

    @Test
    default void hairpinIsAPropertyOfThePort() throws Exception {
        int bridge = bridge("br0").index();
        int port = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().setHairpin(port, true));
        assertRefused(Errno.EOPNOTSUPP, () -> near().setHairpin(bridge, true));
        near().setMaster(port, bridge);
        assertThat(read(near(), port).hairpin()).isFalse();
        near().setHairpin(port, true);
        assertThat(read(near(), port).hairpin()).isTrue();
        assertThat(near().link("v0").orElseThrow().hairpin()).isTrue();
        near().setHairpin(port, false);
        assertThat(read(near(), port).hairpin()).isFalse();
        near().setHairpin(port, true);
        near().setMaster(port, 0);
        near().setMaster(port, bridge);
        assertThat(read(near(), port).hairpin()).isFalse();
    }

    @Test
    default void deletingOneEndOfAVethDeletesBoth() throws Exception {
        Link link = veth("v0", "p0");
        far().deleteLink(link.peerIndex());
        assertThat(near().link("v0")).isEmpty();
        assertThat(far().link("p0")).isEmpty();
        assertRefused(Errno.ENODEV, () -> near().deleteLink(link.index()));
    }

    @Test
    default void deletesSeveralLinksAtOnceAndNoOthers() throws Exception {
        Link first = veth("v0", "p0");
        Link second = veth("v1", "p1");
        Link third = veth("v2", "p2");
        near().deleteLinks(List.of(first.index(), third.index(), GONE));
        assertThat(near().links()).extracting(Link::name).containsExactly("lo", "v1");
        assertThat(far().links()).extracting(Link::name).containsExactly("lo", "p1");
        near().deleteLinks(List.of(first.index(), second.index()));
        near().deleteLinks(List.of(second.index()));
        near().deleteLinks(List.of());
        assertThat(near().links()).hasSize(1);
    }

    @Test
    default void deletingABridgeFreesItsPorts() throws Exception {
        int bridge = bridge("br0").index();
        int port = veth("v0", "p0").index();
        near().setMaster(port, bridge);
        near().deleteLink(bridge);
        assertThat(near().link("br0")).isEmpty();
        assertThat(read(near(), port).masterIndex()).isZero();
    }

    @Test
    default void loopbackCannotBeDeleted() {
        assertRefused(Errno.EOPNOTSUPP, () -> near().deleteLink(1));
    }

    @Test
    default void linkThatIsGoneIsEnodev() throws Exception {
        assertThat(near().link("nobody")).isEmpty();
        assertThat(near().link("a-name-longer-than-any-link")).isEmpty();
        int bridge = bridge("br0").index();
        assertThat(assertRefused(Errno.ENODEV, () -> near().deleteLink(GONE)).isMissing())
                .isTrue();
        assertRefused(Errno.ENODEV, () -> near().setUp(GONE, true));
        assertRefused(Errno.ENODEV, () -> near().setMtu(GONE, 1400));
        assertRefused(Errno.ENODEV, () -> near().setMaster(GONE, bridge));
        assertRefused(Errno.ENODEV, () -> near().setHairpin(GONE, true));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    default void indexThatNoLinkHasIsRefused(int index) {
        assertRefused(Errno.EINVAL, () -> near().deleteLink(index));
        assertRefused(Errno.EINVAL, () -> near().setUp(index, true));
        assertRefused(Errno.EINVAL, () -> near().setMtu(index, 1400));
        assertRefused(Errno.EINVAL, () -> near().setMaster(index, 0));
    }

    @Test
    default void indexesAreNotUsedAgainAtOnce() throws Exception {
        int first = bridge("br0").index();
        near().deleteLink(first);
        assertThat(bridge("br0").index()).isGreaterThan(first);
    }

    @Test
    default void findsTheOtherEndOfAPairWhereverItIs() throws Exception {
        Link pod = far().createVeth(new VethSpec("pod0", Optional.empty(), "host0", near(), Optional.empty()));
        Link host = near().link("host0").orElseThrow();
        assertThat(near().peer(host)).contains(pod);
        assertThat(far().peer(pod)).contains(host);
        Link one = near().createVeth(new VethSpec("one", Optional.empty(), "two", near(), Optional.empty()));
        assertThat(near().peer(one)).isEqualTo(near().link("two")).isPresent();
        near().deleteLink(host.index());
        assertThat(near().peer(host)).isEmpty();
    }
}
