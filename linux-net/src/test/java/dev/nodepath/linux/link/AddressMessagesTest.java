package dev.nodepath.linux.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.netlink.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressMessagesTest {

    @Test
    void ipv4AddressHasABroadcastAddress() {
        assertThat(AddressMessages.add(5, Cidr.parse("10.1.2.3/24"), AddressOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                30 00 00 00  14 00  05 06  01 00 00 00  00 00 00 00  # NEWADDR, REQUEST ACK EXCL CREATE
                02 18 00 00  05 00 00 00                             # AF_INET, /24, link 5
                08 00 02 00  0a 01 02 03                             # LOCAL
                08 00 01 00  0a 01 02 03                             # ADDRESS
                08 00 04 00  0a 01 02 ff                             # BROADCAST
                """));
    }

    @ParameterizedTest
    @CsvSource({"10.1.2.3/30, true", "10.1.2.3/31, false", "10.1.2.3/32, false", "fd00::1/64, false"})
    void broadcastAddressNeedsRoom(String address, boolean expected) {
        byte[] body = AddressMessages.add(5, Cidr.parse(address), AddressOptions.DEFAULT)
                .toBytes(1);
        int plain = AddressMessages.delete(5, Cidr.parse(address)).toBytes(1).length;
        assertThat(body.length > plain).isEqualTo(expected);
    }

    @Test
    void ipv6AddressSkipsDuplicateAddressDetection() {
        assertThat(AddressMessages.add(5, Cidr.parse("fd00::1/64"), AddressOptions.DEFAULT)
                        .toBytes(1))
                .isEqualTo(Wire.bytes("""
                40 00 00 00  14 00  05 06  01 00 00 00  00 00 00 00
                0a 40 02 00  05 00 00 00                             # AF_INET6, /64, NODAD
                14 00 02 00  fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01
                14 00 01 00  fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01
                """));
    }

    @Test
    void loopbackAddressHasHostScope() {
        byte[] message = AddressMessages.add(1, Cidr.parse("127.0.0.2/8"), AddressOptions.DEFAULT)
                .toBytes(1);
        assertThat(message[19]).isEqualTo((byte) 254);
    }

    @Test
    void deletesByAddressAndPrefixLength() {
        assertThat(AddressMessages.delete(5, Cidr.parse("10.1.2.3/24")).toBytes(1))
                .isEqualTo(Wire.bytes("""
                28 00 00 00  15 00  05 00  01 00 00 00  00 00 00 00
                02 18 00 00  05 00 00 00
                08 00 02 00  0a 01 02 03
                08 00 01 00  0a 01 02 03
                """));
    }

    @Test
    void listsBothFamilies() {
        assertThat(AddressMessages.list(0).toBytes(1))
                .isEqualTo(Wire.bytes("18 00 00 00  16 00  01 03  01 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00"));
    }

    @Test
    void readsTheLocalSideOfAPointToPointLink() {
        assertThat(AddressMessages.read(Wire.message("""
                02 20 80 00  05 00 00 00
                08 00 01 00  0a 00 00 02                             # ADDRESS of the other side
                08 00 02 00  0a 00 00 01                             # LOCAL
                """)))
                .isEqualTo(new InterfaceAddress(5, Cidr.parse("10.0.0.1/32"), false, false, 0));
    }

    @Test
    void readsFlagsFromTheHeaderOrTheirAttribute() {
        String address = "14 00 01 00  fd 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01\n";
        InterfaceAddress expected = new InterfaceAddress(5, Cidr.parse("fd00::1/64"), true, false, 0);
        assertThat(AddressMessages.read(Wire.message("0a 40 40 00  05 00 00 00 " + address)))
                .isEqualTo(expected);
        assertThat(AddressMessages.read(Wire.message("0a 40 00 00  05 00 00 00  08 00 08 00 40 02 00 00 " + address)))
                .isEqualTo(expected);
        assertThat(AddressMessages.read(Wire.message("0a 40 40 00  05 00 00 00  08 00 08 00 80 00 00 00 " + address)))
                .isEqualTo(new InterfaceAddress(5, Cidr.parse("fd00::1/64"), false, false, 0));
    }

    @Test
    void skipsOtherFamilies() {
        assertThat(AddressMessages.read(Wire.message("1c 00 00 00  05 00 00 00  05 00 02 00  07 00 00 00")))
                .isNull();
    }
}
