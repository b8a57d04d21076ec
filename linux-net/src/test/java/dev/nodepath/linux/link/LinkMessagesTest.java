package dev.nodepath.linux.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.netlink.Wire;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LinkMessagesTest {
    private static final MacAddress MAC = MacAddress.parse("0a:58:0a:f4:01:01");
    private static final String NO_HEADER = "00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00\n";

    @Test
    void bridgeIsBornWithMacMtuAndNetfilter() {
        BridgeSpec spec = new BridgeSpec("br0", Optional.of(MAC), Optional.of(1400), true);
        assertThat(LinkMessages.createBridge(spec).toBytes(1)).isEqualTo(Wire.bytes("""
                60 00 00 00  10 00  05 06  01 00 00 00  00 00 00 00  # NEWLINK, REQUEST ACK EXCL CREATE
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00   # ifinfomsg
                08 00 03 00  62 72 30 00                             # IFNAME br0
                0a 00 01 00  0a 58 0a f4  01 01 00 00                # ADDRESS
                08 00 04 00  78 05 00 00                             # MTU 1400
                24 00 12 00                                          # LINKINFO
                0b 00 01 00  62 72 69 64  67 65 00 00                # KIND bridge
                14 00 02 00                                          # DATA
                05 00 24 00  01 00 00 00                             # BR_NF_CALL_IPTABLES
                05 00 25 00  01 00 00 00                             # BR_NF_CALL_IP6TABLES
                """));
    }

    @Test
    void bridgeMayLeaveAllToTheKernel() {
        BridgeSpec spec = new BridgeSpec("br0", Optional.empty(), Optional.empty(), false);
        assertThat(LinkMessages.createBridge(spec).toBytes(1)).isEqualTo(Wire.bytes("""
                38 00 00 00  10 00  05 06  01 00 00 00  00 00 00 00
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00
                08 00 03 00  62 72 30 00
                10 00 12 00
                0b 00 01 00  62 72 69 64  67 65 00 00
                """));
    }

    @Test
    void bothEndsOfAVethAreInOneRequest() throws Exception {
        assertThat(LinkMessages.createVeth("eth0", Optional.of(MAC), Optional.of(1400), "v1", 9)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                80 00 00 00  10 00  05 06  01 00 00 00  00 00 00 00
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00
                09 00 03 00  65 74 68 30  00 00 00 00                # IFNAME eth0
                0a 00 01 00  0a 58 0a f4  01 01 00 00                # ADDRESS
                08 00 04 00  78 05 00 00                             # MTU
                40 00 12 00                                          # LINKINFO
                09 00 01 00  76 65 74 68  00 00 00 00                # KIND veth
                30 00 02 00                                          # DATA
                2c 00 01 00                                          # VETH_INFO_PEER
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00   # ifinfomsg of the peer
                07 00 03 00  76 31 00 00                             # IFNAME v1
                08 00 04 00  78 05 00 00                             # MTU
                08 00 1c 00  09 00 00 00                             # NET_NS_FD
                """));
    }

    @Test
    void changesNameTheLinkByItsIndex() {
        assertThat(LinkMessages.setUp(5, true).toBytes(1)).isEqualTo(Wire.bytes("""
                20 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                00 00 00 00  05 00 00 00  01 00 00 00  01 00 00 00
                """));
        assertThat(LinkMessages.setUp(5, false).toBytes(1)).isEqualTo(Wire.bytes("""
                20 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                00 00 00 00  05 00 00 00  00 00 00 00  01 00 00 00
                """));
        assertThat(LinkMessages.setMaster(5, 3).toBytes(1)).isEqualTo(Wire.bytes("""
                28 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                00 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                08 00 0a 00  03 00 00 00
                """));
        assertThat(LinkMessages.setMtu(5, 1400).toBytes(1)).isEqualTo(Wire.bytes("""
                28 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                00 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                08 00 04 00  78 05 00 00
                """));
        assertThat(LinkMessages.setHairpin(5, true).toBytes(1)).isEqualTo(Wire.bytes("""
                2c 00 00 00  13 00  05 00  01 00 00 00  00 00 00 00
                07 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00   # AF_BRIDGE
                0c 00 0c 80                                          # PROTINFO, nested
                05 00 04 00  01 00 00 00                             # BRPORT_MODE
                """));
        assertThat(LinkMessages.delete(5).toBytes(1)).isEqualTo(Wire.bytes("""
                20 00 00 00  11 00  05 00  01 00 00 00  00 00 00 00
                00 00 00 00  05 00 00 00  00 00 00 00  00 00 00 00
                """));
    }

    @Test
    void questionsLeaveTheCountersOut() {
        assertThat(LinkMessages.list().toBytes(1)).isEqualTo(Wire.bytes("""
                28 00 00 00  12 00  01 03  01 00 00 00  00 00 00 00
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00
                08 00 1d 00  08 00 00 00
                """));
        assertThat(LinkMessages.find("br0").toBytes(1)).isEqualTo(Wire.bytes("""
                30 00 00 00  12 00  01 00  01 00 00 00  00 00 00 00
                00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00
                08 00 03 00  62 72 30 00
                08 00 1d 00  08 00 00 00
                """));
    }

    @Test
    void readsAPort() {
        Link link = LinkMessages.read(Wire.message("""
                00 00 01 00  05 00 00 00  43 10 01 00  00 00 00 00   # index 5, IFF_UP among others
                0a 00 03 00  76 65 74 68  30 00 00 00                # IFNAME veth0
                05 00 10 00  06 00 00 00                             # OPERSTATE up
                08 00 04 00  78 05 00 00                             # MTU
                08 00 05 00  02 00 00 00                             # LINK: peer 2
                08 00 25 00  00 00 00 00                             # LINK_NETNSID
                08 00 0a 00  03 00 00 00                             # MASTER
                0a 00 01 00  0a 58 0a f4  01 01 00 00                # ADDRESS
                28 00 12 00                                          # LINKINFO
                09 00 01 00  76 65 74 68  00 00 00 00                # KIND veth
                0b 00 04 00  62 72 69 64  67 65 00 00                # SLAVE_KIND bridge
                0c 00 05 00  05 00 04 00  01 00 00 00                # SLAVE_DATA: BRPORT_MODE
                """));
        assertThat(link)
                .hasToString("Link[index=5, name=veth0, kind=veth, mac=Optional[" + MAC
                        + "], mtu=1400, up=true, running=true, "
                        + "masterIndex=3, peerIndex=2, alias=, promiscuous=false, hairpin=true, "
                        + "isolated=false, vlanFiltering=false, netfilter=[], vxlan=Optional.empty]");
    }

    @Test
    void readsALinkOfWhichLittleIsKnown() {
        Link link = LinkMessages.read(Wire.message("""
                00 00 fe ff  07 00 00 00  00 00 00 00  00 00 00 00
                09 00 03 00  74 75 6e 30  00 00 00 00                # IFNAME tun0
                04 00 01 00                                          # ADDRESS of no bytes
                05 00 10 00  02 00 00 00                             # OPERSTATE down
                """));
        assertThat(link)
                .hasToString("Link[index=7, name=tun0, kind=, mac=Optional.empty, mtu=0, up=false, running=false, "
                        + "masterIndex=0, peerIndex=0, alias=, promiscuous=false, hairpin=false, "
                        + "isolated=false, vlanFiltering=false, netfilter=[], vxlan=Optional.empty]");
    }

    @Test
    void lowerLinkOfOtherKindsIsNoPeer() {
        Link link = LinkMessages.read(Wire.message(NO_HEADER + """
                08 00 05 00  02 00 00 00
                10 00 12 00  0b 00 01 00  67 72 65 74 61 70 00 00    # KIND gretap
                """));
        assertThat(link.peerIndex()).isZero();
    }

    @Test
    void aMacvlanLinkNamesTheLinkThatItStandsOnUnlessThatIsElsewhere() {
        String link = """
                08 00 05 00  02 00 00 00
                10 00 12 00  0b 00 01 00  6d 61 63 76 6c 61 6e 00    # KIND macvlan
                """;
        String elsewhere = "08 00 25 00  00 00 00 00                             # LINK_NETNSID\n";
        assertThat(LinkMessages.read(Wire.message(NO_HEADER + link)).peerIndex())
                .isEqualTo(2);
        assertThat(LinkMessages.read(Wire.message(NO_HEADER + link + elsewhere)).peerIndex())
                .isZero();
    }

    @Test
    void aVlanLinkNamesTheLinkThatItStandsOn() {
        Link link = LinkMessages.read(Wire.message(NO_HEADER + """
                08 00 05 00  02 00 00 00
                0c 00 12 00  08 00 01 00  76 6c 61 6e                # KIND vlan
                """));
        assertThat(link.peerIndex()).isEqualTo(2);
    }

    @Test
    void olderKernelLeavesOutThePeerThatHasTheSameIndex() {
        Link link = LinkMessages.read(Wire.message("""
                00 00 00 00  02 00 00 00  00 00 00 00  00 00 00 00
                08 00 25 00  00 00 00 00                             # LINK_NETNSID without LINK
                0c 00 12 00  08 00 01 00  76 65 74 68                # KIND veth
                """));
        assertThat(link.peerIndex()).isEqualTo(2);
    }

    @Test
    void refusesAMessageWithoutHeader() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LinkMessages.read(Wire.message("00 00 00 00")))
                .withMessageContaining("4 bytes (expected: at least 16)");
    }
}
