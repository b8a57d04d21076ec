package dev.nodepath.proxy.userspace.portals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The numbers of clients, and the table that knows them. */
@Tag("netns")
class ClientSourcesKernelTest {
    private static final NftTable TABLE = new NftTable(NftFamily.IPV4, "nodepath-clients");
    private static final IpAddress FIRST = IpAddress.parse("10.244.0.0");
    private static final int MANY = 5000;

    private final NftTables nft;
    private final Conntrack conntrack;
    private final ClientSources sources;

    ClientSourcesKernelTest() throws LinuxNetException {
        nft = new KernelLinuxNet().nftTables();
        conntrack = new KernelLinuxNet().conntrack();
        sources = new ClientSources(nft, conntrack, IpFamily.IPV4);
    }

    @AfterEach
    void tearDown() throws LinuxNetException {
        sources.stop();
        conntrack.close();
        nft.close();
    }

    @Test
    void aClientHasNoNumberWhileThereIsNoTable() throws LinuxNetException {
        assertThat(sources.number(FIRST)).isZero();
        sources.start();
        assertThat(sources.number(FIRST)).isPositive();
        sources.stop();
        assertThat(sources.number(FIRST)).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete table ip nodepath-clients",
                "flush table ip nodepath-clients",
                "flush chain ip nodepath-clients postrouting",
                "flush map ip nodepath-clients clients"
            })
    void whatOthersHaveRemovedComesBackWithTheSameNumbers(String removal) throws Exception {
        sources.start();
        int number = sources.number(FIRST);
        NftTableState whole = nft.read(TABLE).orElseThrow();
        assertThat(new ProcessBuilder("nft", removal).inheritIO().start().waitFor())
                .isZero();

        sources.start();
        assertThat(nft.read(TABLE)).contains(whole);
        assertThat(sources.number(FIRST)).isEqualTo(number);
        int other = sources.number(FIRST.plus(1));
        assertThat(clients()).containsOnly(Map.entry(number, FIRST), Map.entry(other, FIRST.plus(1)));
    }

    @Test
    void aClientThatIsNewHasNoNumberWhileTheTableIsGone() throws LinuxNetException {
        sources.start();
        ClientSources.removeTable(nft, IpFamily.IPV4);
        assertThat(sources.number(FIRST)).isZero();

        sources.start();
        assertThat(sources.number(FIRST)).isPositive();
    }

    /** The numbers of another process's connections mean no client here. */
    @Test
    void theNextProcessBeginsAnew() throws LinuxNetException {
        sources.start();
        int before = sources.number(FIRST);
        ClientSources next = new ClientSources(nft, conntrack, IpFamily.IPV4);
        next.start();
        assertThat(clients()).isEmpty();
        assertThat(next.number(FIRST.plus(1))).isNotEqualTo(before);
        assertThat(clients()).hasSize(1).containsValue(FIRST.plus(1));
    }

    @Test
    void theClientThatWasNotSeenForLongestMakesRoomAndNoNumberComesTwice() throws LinuxNetException {
        sources.start();
        Map<Integer, IpAddress> given = new HashMap<>();
        for (int i = 0; i < MANY; i++) {
            IpAddress client = FIRST.plus(i);
            assertThat(given.put(sources.number(client), client)).isNull();
            assertThat(given).containsEntry(sources.number(FIRST), FIRST);
        }
        assertThat(given).doesNotContainKey(0);
        Map<Integer, IpAddress> known = clients();
        assertThat(known)
                .hasSize(4096)
                .containsValues(FIRST, FIRST.plus(MANY - 1))
                .doesNotContainValue(FIRST.plus(1));
        assertThat(given).containsAllEntriesOf(known);
    }

    private Map<Integer, IpAddress> clients() throws LinuxNetException {
        Map<Integer, IpAddress> clients = new HashMap<>();
        NftTableState.Elements elements =
                Objects.requireNonNull(nft.read(TABLE).orElseThrow().sets().get("clients"));
        for (NftElement each : elements.elements().values()) {
            NftValue address = (NftValue) each.data().orElseThrow();
            clients.put(number(each.key()), IpAddress.of(address.bytes()));
        }
        return clients;
    }

    private static int number(NftValue key) {
        return ByteBuffer.wrap(key.bytes()).order(ByteOrder.nativeOrder()).getInt();
    }
}
