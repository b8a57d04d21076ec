package dev.nodepath.linux.nftables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How large a transaction may be. */
@Tag("netns")
class NftLimitsKernelTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final Path WMEM_MAX = Path.of("/proc/sys/net/core/wmem_max");

    /** The root of a user namespace alone has limits. */
    private static void assumeRoot() throws IOException {
        assumeThat(Files.readString(Path.of("/proc/self/uid_map")).strip()).matches("0 +0 +4294967295");
    }

    @Test
    void anOwnTransactionLosesNoAnnouncementsHoweverLarge() throws Exception {
        assumeRoot();
        try (NftNamespace namespace = NftNamespace.create()) {
            assertThat(namespace.tables().mayHaveChanged(LargeTransaction.TABLE))
                    .isTrue();
            assertThat(LargeTransaction.make(namespace.tables(), 6 * MEBIBYTE)).isEqualTo("done, whole: true");
            assertThat(namespace.tables().mayHaveChanged(LargeTransaction.TABLE))
                    .isFalse();
        }
    }

    @Test
    void rootHasNoLimitButMemory() throws Exception {
        assumeRoot();
        try (NftNamespace namespace = NftNamespace.create()) {
            assertThat(namespace.tables().transactionBytesMax()).isGreaterThan(64 * MEBIBYTE);
            assertThat(LargeTransaction.make(namespace.tables(), 9 * MEBIBYTE)).isEqualTo("done, whole: true");
        }
    }

    /** The kernel resizes the hash table of a large set in the background; a dump meanwhile misses elements. */
    @Test
    void readsAllElementsOfASetThatIsNew() throws Exception {
        try (NftNamespace namespace = NftNamespace.create()) {
            int bytes = Math.min(6 * MEBIBYTE, namespace.tables().transactionBytesMax() / 2);
            for (int i = 0; i < 10; i++) {
                assertThat(LargeTransaction.make(namespace.tables(), bytes)).isEqualTo("done, whole: true");
                namespace.tables().apply(LargeTransaction.removal());
            }
        }
    }

    @Test
    void sendBufferLimitsOthers() throws Exception {
        // An old kernel shows it in the first network namespace alone.
        assumeThat(WMEM_MAX).exists();
        // The kernel doubles the value for its bookkeeping, and keeps 32 bytes.
        int limit = 2 * allowed() - 32;
        assertThat(inUserNamespace("over")).isEqualTo("limit " + limit + "\nEMSGSIZE, table: false\n");
        assertThat(inUserNamespace("100000")).isEqualTo("limit " + limit + "\ndone, whole: true\n");
    }

    /** In one read, because the kernel does not return a setting in parts. */
    private static int allowed() throws IOException {
        try (InputStream setting = Files.newInputStream(WMEM_MAX)) {
            return Integer.parseInt(new String(setting.readNBytes(100), StandardCharsets.UTF_8).strip());
        }
    }

    private static String inUserNamespace(String argument) throws Exception {
        Process process = new ProcessBuilder(List.of(
                        "unshare",
                        "--user",
                        "--map-root-user",
                        "--net",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        LargeTransaction.class.getName(),
                        argument))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isZero();
        return printed;
    }
}
