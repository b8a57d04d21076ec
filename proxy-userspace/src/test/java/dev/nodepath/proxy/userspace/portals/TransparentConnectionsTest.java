package dev.nodepath.proxy.userspace.portals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TransparentConnectionsTest {
    private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n";
    private static final Set<IpAddress> HOST = Set.of(IpAddress.parse("10.244.0.1"), IpAddress.parse("fd00::1"));

    @TempDir
    private Path lists;

    @BeforeEach
    void asThisKernelWritesThem() {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
    }

    @ParameterizedTest
    @CsvSource({
        "0500F40A:C001, 01, true, a client's address",
        "0500F40A:C001, 02, true, a dial from it",
        "0500F40A:C001, 06, false, what is over",
        "0100F40A:C001, 01, false, the host's own",
        "0100007F:C001, 01, false, loopback",
        "00000000:0050, 0A, false, a listener"
    })
    void knowsConnectionsFromOtherAddresses(String local, String state, boolean any, String why) throws IOException {
        Files.writeString(lists.resolve("tcp"), HEAD + "   0: " + local + " 0600F40A:1F90 " + state + " 0:0 0:0 0\n");

        assertThat(new TransparentConnections(lists).any(IpFamily.IPV4, HOST))
                .as(why)
                .isEqualTo(any);
        assertThat(new TransparentConnections(lists).any(IpFamily.IPV6, HOST)).isFalse();
    }

    @Test
    void leavesOutAddressesOfIpv4InTheListOfIpv6() throws IOException {
        String mapped = "0000000000000000FFFF00000500F40A:C001 0000000000000000FFFF00000600F40A:1F90 01 0:0 0:0 0\n";
        Files.writeString(lists.resolve("tcp6"), HEAD + "   0: " + mapped);
        assertThat(new TransparentConnections(lists).any(IpFamily.IPV6, HOST)).isFalse();
    }

    @Test
    void readsAddressesOfIpv6() throws IOException {
        String peer = " 000000FD000000000000000006000000:1F90 01 0:0 0:0 0\n";
        Files.writeString(lists.resolve("tcp6"), HEAD + "   0: 000000FD000000000000000001000000:C001" + peer);
        assertThat(new TransparentConnections(lists).any(IpFamily.IPV6, Set.of(IpAddress.parse("fd00::1"))))
                .isFalse();
        assertThat(new TransparentConnections(lists).any(IpFamily.IPV6, Set.of(IpAddress.parse("fd00::2"))))
                .isTrue();
    }
}
