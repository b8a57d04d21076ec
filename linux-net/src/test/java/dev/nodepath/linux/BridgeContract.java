package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Bridges and their ports: VLANs and options. */
interface BridgeContract extends ContractFixture {

    @Test
    default void optionsOfABridgeChange() throws Exception {
        int bridge = bridge("br0").index();
        near().setNetfilter(bridge, true);
        near().setPromiscuous(bridge, true);
        near().setAlias(bridge, "network one");
        Link changed = near().link(bridge).orElseThrow();
        assertThat(changed.netfilter()).containsExactlyInAnyOrder(IpFamily.values());
        assertThat(changed.hasNetfilter()).isTrue();
        assertThat(changed.promiscuous()).isTrue();
        assertThat(changed.alias()).isEqualTo("network one");
        near().setNetfilter(bridge, false);
        near().setPromiscuous(bridge, false);
        assertThat(near().link("br0").orElseThrow())
                .hasToString("Link[index=" + bridge + ", name=br0, kind=bridge, mac=" + changed.mac()
                        + ", mtu=1500, up=false, running=false, "
                        + "masterIndex=0, peerIndex=0, alias=network one, promiscuous=false, hairpin=false, "
                        + "isolated=false, vlanFiltering=false, netfilter=[], vxlan=Optional.empty]");
    }

    /** The bridge's own setting is for both families here; the kernel has one for each. */
    @Test
    default void packetsPassNetfilterByTheSettingOfTheBridgeOrOfAllBridges() throws Exception {
        Link bridge = bridge("br0");
        near().setSysctl("net/bridge/bridge-nf-call-iptables", "0");
        assertThat(near().hasNetfilter(bridge, IpFamily.IPV4)).isFalse();
        assertThat(near().hasNetfilter(bridge, IpFamily.IPV6)).isTrue();
        near().setNetfilter(bridge.index(), true);
        assertThat(near().hasNetfilter(near().link("br0").orElseThrow(), IpFamily.IPV4))
                .isTrue();
    }

    @Test
    default void refusesOptionsOfABridgeForOtherLinks() throws Exception {
        int veth = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().setVlanFiltering(veth, true));
        assertRefused(Errno.EOPNOTSUPP, () -> near().setNetfilter(veth, true));
        assertRefused(Errno.ERANGE, () -> near().setAlias(veth, "x".repeat(256)));
        assertThat(near().link(0)).isEmpty();
        assertThat(near().link(4711)).isEmpty();
    }

    @Test
    default void isolationIsAPropertyOfThePort() throws Exception {
        int port = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().setIsolated(port, true));
        near().setMaster(port, bridge("br0").index());
        near().setIsolated(port, true);
        assertThat(near().link(port).orElseThrow().isolated()).isTrue();
        assertThat(near().link(port).orElseThrow().hairpin()).isFalse();
        near().setIsolated(port, false);
        assertThat(near().link(port).orElseThrow().isolated()).isFalse();
    }

    @Test
    default void onlyAPortForwardsReservedAddresses() throws Exception {
        int port = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().setForwardsReserved(port, true));
        near().setMaster(port, bridge("br0").index());
        near().setForwardsReserved(port, true);
        near().setForwardsReserved(port, false);
    }

    @Test
    default void portsHaveVlansWhereTheKernelIsBuiltWithThem() throws Exception {
        int port = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().addVlan(port, PortVlan.tagged(5)));
        assertThat(near().vlans(port)).isEmpty();
        int bridge = bridge("br0").index();
        near().setMaster(port, bridge);
        try {
            near().setVlanFiltering(bridge, true);
        } catch (LinuxNetException e) {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
            assertRefused(Errno.EOPNOTSUPP, () -> near().addVlan(port, PortVlan.tagged(5)));
            assertThat(near().vlans(port)).isEmpty();
            return;
        }
        assertThat(near().link(bridge).orElseThrow().vlanFiltering()).isTrue();
        assertThat(near().vlans(port)).containsExactly(PortVlan.access(1));
        near().addVlan(port, PortVlan.access(100));
        near().addVlan(port, new PortVlan(200, 202, false, false));
        near().addVlan(port, PortVlan.tagged(201));
        assertThat(near().vlans(port))
                .containsExactly(
                        new PortVlan(1, 1, false, true),
                        PortVlan.access(100),
                        PortVlan.tagged(200),
                        PortVlan.tagged(201),
                        PortVlan.tagged(202));
        near().deleteVlan(port, 1);
        near().deleteVlan(port, 1);
        assertThat(near().vlans(port)).extracting(PortVlan::first).containsExactly(100, 200, 201, 202);
        assertRefused(Errno.EINVAL, () -> near().addVlan(port, PortVlan.tagged(4095)));
        near().setMaster(port, 0);
        assertThat(near().vlans(port)).isEmpty();
    }

    @Test
    default void bridgesKeepVlansApartFromTheirMakingWhereTheKernelIsBuiltWithThem() throws Exception {
        int veth = veth("v0", "p0").index();
        assertRefused(Errno.EOPNOTSUPP, () -> near().addOwnVlan(veth, 5));
        BridgeSpec spec = new BridgeSpec("br0", Optional.empty(), Optional.empty(), false, true);
        Link bridge;
        try {
            bridge = near().createBridge(spec);
        } catch (LinuxNetException e) {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
            assertThat(e).hasMessageContaining("create bridge br0 with vlan filtering");
            assertThat(near().link("br0")).isEmpty();
            return;
        }
        assertThat(bridge.vlanFiltering()).isTrue();
        near().addOwnVlan(bridge.index(), 5);
        near().addOwnVlan(bridge.index(), 5);
        assertThat(near().vlans(bridge.index())).containsExactly(PortVlan.access(1), PortVlan.tagged(5));
        near().addOwnVlan(bridge.index(), 1);
        assertThat(near().vlans(bridge.index())).containsExactly(PortVlan.tagged(1), PortVlan.tagged(5));
    }
}
