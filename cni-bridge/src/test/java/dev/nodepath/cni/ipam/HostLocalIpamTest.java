package dev.nodepath.cni.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Address management on a real folder: host-local's layout, and leftovers of crashes. */
class HostLocalIpamTest {
    private static final String NETWORK = "mynet";

    @TempDir
    Path dataDir;

    private final MemoryLocks locks = new MemoryLocks();
    private final HostLocalIpam ipam = new HostLocalIpam(locks, Duration.ofSeconds(30));
    private Path folder = Path.of("");
    private List<IpAddress> requested = List.of();

    @BeforeEach
    void findFolder() {
        folder = dataDir.resolve(NETWORK);
    }

    @Test
    void followsTheLifeOfHostLocalsAddresses() throws Exception {
        IpamConfig config = config("10.1.2.0/24");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.2/24");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.2/24");
        assertThat(allocate(config, "dummy1")).containsExactly("10.1.2.3/24");
        release(config, "dummy");
        release(config, "dummy");
        release(config, "never-seen");
        assertThat(addressFiles()).containsExactly("10.1.2.3");
        Files.writeString(folder.resolve("10.1.2.3"), "dummy1");
        release(config, "dummy1");
        assertThat(addressFiles()).isEmpty();
    }

    @Test
    void writesTheFilesThatHostLocalReads() throws Exception {
        IpamConfig config = config("10.1.2.0/24 10.2.2.0/24", "2001:db8:1::/64");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.2/24", "2001:db8:1::2/64");
        assertThat(content("10.1.2.2")).isEqualTo("dummy\r\neth0");
        assertThat(content("2001:db8:1::2")).isEqualTo("dummy\r\neth0");
        assertThat(content("last_reserved_ip.0")).isEqualTo("10.1.2.2");
        assertThat(content("last_reserved_ip.1")).isEqualTo("2001:db8:1::2");
        assertThat(addressFiles()).containsExactly("10.1.2.2", "2001:db8:1::2");
    }

    @Test
    void goesAroundInsteadOfGivingAFreedAddressAtOnce() throws Exception {
        IpamConfig config = config("10.0.0.0/29");
        for (String expected : List.of("2", "3", "4", "5", "6", "2", "3")) {
            assertThat(allocate(config, "a")).containsExactly("10.0.0." + expected + "/29");
            release(config, "a");
        }
    }

    @Test
    void keepsInterfacesOfOneContainerApart() throws Exception {
        IpamConfig config = config("10.1.2.0/24");
        ipam.allocate(config, NETWORK, new Attachment("dummy", "eth0"), false);
        ipam.allocate(config, NETWORK, new Attachment("dummy", "eth1"), false);
        ipam.release(config.dataDir(), NETWORK, new Attachment("dummy", "eth0"));
        assertThat(addressFiles()).containsExactly("10.1.2.3");
    }

    @Test
    void saysWhichSetIsUsedUpAndTakesNothingThen() throws Exception {
        IpamConfig config = config("10.1.2.0/24", "10.0.0.0/30");
        allocate(config, "first");
        assertThatThrownBy(() -> allocate(config, "second"))
                .isInstanceOf(AllocationException.class)
                .hasMessage("failed to allocate for range 1: "
                        + "no IP addresses available in range set: 10.0.0.1-10.0.0.2");
        assertThat(addressFiles()).containsExactly("10.0.0.2", "10.1.2.2");
        assertThat(locks.areFree()).isTrue();
    }

    @Test
    void makesNoFolderForARelease() throws IOException {
        release(config("10.1.2.0/24"), "dummy");
        assertThat(folder).doesNotExist();
    }

    /** Files that a kill between any two steps of ours, or of host-local's, leaves in the folder. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.1.2.2=",
                ".unfinished=",
                ".unfinished=dum",
                ".unfinished=other\r\neth0",
                "last_reserved_ip.0=",
                "last_reserved_ip.0=rubbish",
                "last_reserved_ip.0=2001:db8::1",
                "lock=",
            })
    void givesTheFirstAddressWhateverACrashLeft(String left) throws Exception {
        String[] nameAndContent = left.split("=", -1);
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(nameAndContent[0]), nameAndContent[1]);
        IpamConfig config = config("10.1.2.0/24");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.2/24");
        assertThat(content("10.1.2.2")).isEqualTo("dummy\r\neth0");
        assertThat(addressFiles()).containsExactly("10.1.2.2");
        release(config, "dummy");
        assertThat(addressFiles()).isEmpty();
    }

    @Test
    void leavesAnAddressAloneWhoseSecondNameACrashLeft() throws Exception {
        IpamConfig config = config("10.1.2.0/24");
        allocate(config, "first");
        Files.createLink(folder.resolve(".unfinished"), folder.resolve("10.1.2.2"));
        allocate(config, "second");
        assertThat(content("10.1.2.2")).isEqualTo("first\r\neth0");
        assertThat(content("10.1.2.3")).isEqualTo("second\r\neth0");
    }

    @Test
    void passesOverWhatIsNotOurs() throws Exception {
        Files.createDirectories(folder.resolve("10.1.2.2"));
        Files.createSymbolicLink(folder.resolve("10.1.2.3"), Path.of("nowhere"));
        Files.writeString(folder.resolve("10.1.2.4"), "x".repeat(100_000));
        Files.writeString(folder.resolve("notes.txt"), "dummy\r\neth0");
        IpamConfig config = config("10.1.2.0/24");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.5/24");
        release(config, "dummy");
        assertThat(addressFiles()).containsExactly("10.1.2.2", "10.1.2.3", "10.1.2.4", "notes.txt");
    }

    @Test
    void takesNothingWhenTheLastAddressCannotBeSaved() throws IOException {
        Files.createDirectories(folder.resolve("last_reserved_ip.0").resolve("in-the-way"));
        assertThatThrownBy(() -> allocate(config("10.1.2.0/24"), "dummy")).isInstanceOf(IOException.class);
        assertThat(addressFiles()).isEmpty();
        assertThat(locks.areFree()).isTrue();
    }

    @Test
    void givesEveryThreadAnAddressOfItsOwn() throws Exception {
        IpamConfig config = config("10.1.2.0/24", "2001:db8::/64");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Callable<List<String>>> calls = IntStream.range(0, 100)
                    .<Callable<List<String>>>mapToObj(i -> () -> allocate(config, "c" + i))
                    .toList();
            List<String> given = new ArrayList<>();
            for (Future<List<String>> result : threads.invokeAll(calls)) {
                given.addAll(result.get());
            }
            assertThat(given).hasSize(200).doesNotHaveDuplicates();
            assertThat(addressFiles()).hasSize(200);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void givesWhatIsAskedForAndNothingElse() throws Exception {
        requested = List.of(IpAddress.parse("10.1.2.77"), IpAddress.parse("fd00::77"));
        assertThat(allocate(config("10.1.2.0/24", "fd00::/64"), "first"))
                .containsExactly("10.1.2.77/24", "fd00::77/64");
        assertThat(allocate(config("10.1.2.0/24", "fd00::/64"), "first"))
                .containsExactly("10.1.2.77/24", "fd00::77/64");
        assertRefused("second", "requested IP address 10.1.2.77 is not available in range set 10.1.2.1-10.1.2.254");
        requested = List.of(IpAddress.parse("10.1.2.1"));
        assertRefused("second", "requested ip 10.1.2.1 is subnet's gateway");
        requested = List.of(IpAddress.parse("10.1.2.9"), IpAddress.parse("10.9.9.9"));
        assertRefused("second", "failed to allocate all requested IPs: 10.9.9.9");
        assertThat(addressFiles()).containsExactly("10.1.2.77", "fd00::77");
    }

    @Test
    void findsAddressesThatHostLocalGave() throws Exception {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("10.1.2.50"), "dummy\r\neth0");
        Files.writeString(folder.resolve("10.1.2.51"), " old \r\n");
        IpamConfig config = config("10.1.2.0/24");
        Attachment dummy = new Attachment("dummy", "eth0");
        assertThat(ipam.find(config.dataDir(), NETWORK, dummy)).containsExactly(IpAddress.parse("10.1.2.50"));
        Allocation again = ipam.allocate(config, NETWORK, dummy, true);
        assertThat(again.fresh()).isFalse();
        assertThat(again.addresses()).hasSize(1);
        release(config, "dummy");
        release(config, "old");
        assertThat(addressFiles()).isEmpty();
    }

    @Test
    void believesTheAddressFilesAndNotItsOwnHints() throws Exception {
        IpamConfig config = config("10.1.2.0/24");
        allocate(config, "dummy");
        Files.writeString(folder.resolve("10.1.2.2"), "another\r\neth0");
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.3/24");
        Files.delete(folder.resolve("10.1.2.3"));
        assertThat(allocate(config, "dummy")).containsExactly("10.1.2.4/24");
        release(config, "dummy");
        assertThat(addressFiles()).containsExactly("10.1.2.2");
        assertThat(folder.resolve(".attachments")).isEmptyDirectory();
    }

    @Test
    void freesAllButTheAddressesOfValidAttachments() throws Exception {
        IpamConfig config = config("10.1.2.0/24");
        for (String container : List.of("a", "b", "c")) {
            allocate(config, container);
        }
        Files.writeString(folder.resolve("10.1.2.99"), "b");
        ipam.releaseAllBut(config.dataDir(), NETWORK, Set.of(new Attachment("b", "eth0")));
        assertThat(addressFiles()).containsExactly("10.1.2.3", "10.1.2.99");
        assertThat(ipam.attachments(config.dataDir(), NETWORK))
                .containsExactlyInAnyOrder(new Attachment("b", "eth0"), new Attachment("b", ""));
    }

    @Test
    void findsTheLastFreeAddressOfABigRangeAndThenSaysThatThereIsNone() throws Exception {
        IpamConfig config = config("10.1.0.0/22");
        Files.createDirectories(folder);
        for (int i = 2; i < 1023; i++) {
            if (i != 700) {
                Files.writeString(folder.resolve("10.1." + i / 256 + "." + i % 256), "c" + i + "\r\neth0");
            }
        }
        assertThat(allocate(config, "last")).containsExactly("10.1.2.188/22");
        assertThatThrownBy(() -> allocate(config, "late"))
                .hasMessage("failed to allocate for range 0: no IP addresses available in range set: "
                        + "10.1.0.1-10.1.3.254");
        Files.writeString(folder.resolve("10.1.3.9"), "");
        assertThat(allocate(config, "late")).containsExactly("10.1.3.9/22");
    }

    private void assertRefused(String container, String problem) {
        assertThatThrownBy(() -> allocate(config("10.1.2.0/24", "fd00::/64"), container))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining(problem);
    }

    private List<String> allocate(IpamConfig config, String container) throws Exception {
        return ipam.allocate(config, NETWORK, new Attachment(container, "eth0"), false).addresses().stream()
                .map(candidate -> candidate.address().toString())
                .toList();
    }

    private void release(IpamConfig config, String container) throws IOException {
        ipam.release(config.dataDir(), NETWORK, new Attachment(container, "eth0"));
    }

    private IpamConfig config(String... sets) {
        List<RangeSet> rangeSets = Arrays.stream(sets)
                .map(set -> new RangeSet(Arrays.stream(set.split(" "))
                        .map(subnet -> AddressRange.of(
                                Cidr.parse(subnet), Optional.empty(), Optional.empty(), Optional.empty()))
                        .toList()))
                .toList();
        return new IpamConfig(dataDir, rangeSets, List.of(), requested);
    }

    private String content(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    /** All files in the folder except permanent ones. */
    private List<String> addressFiles() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.startsWith("last_reserved_ip."))
                    .filter(name -> !Set.of("lock", ".attachments").contains(name))
                    .sorted()
                    .toList();
        }
    }
}
