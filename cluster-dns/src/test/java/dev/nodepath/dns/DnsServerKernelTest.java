package dev.nodepath.dns;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The C library's resolver in one namespace asks the server in another. */
@Tag("netns")
class DnsServerKernelTest {
    @TempDir
    Path directory;

    private DnsNamespaces namespaces;

    @BeforeEach
    void start() throws Exception {
        namespaces = new DnsNamespaces();
    }

    @AfterEach
    void stop() throws Exception {
        namespaces.close();
    }

    @Test
    void resolverOfTheCLibraryFindsPartiallyQualifiedNames() throws Exception {
        for (String name : new String[] {"web", "web.shop", "web.shop.svc", "web.shop.svc.cluster.local"}) {
            assertThat(resolve("getent ahostsv4 " + name)).contains("10.96.0.20");
            assertThat(resolve("getent ahostsv6 " + name)).contains("fd00::20");
        }
        assertThat(resolve("getent ahostsv4 db-0.db")).contains("10.244.1.5");
        assertThat(resolve("getent ahosts inner")).contains("10.96.0.20").contains("fd00::20");
        assertThat(resolve("getent hosts 10.244.1.5")).contains("db-0.");
        assertThat(resolve("getent ahostsv4 nosuch || echo none=$?")).contains("none=2");
    }

    @Test
    void resolverAsksOverTcpWhatDoesNotFitIntoADatagram() throws Exception {
        String addresses = resolve("getent ahostsv4 big | awk '{print $1}' | sort -u | wc -l");
        assertThat(addresses.strip()).isEqualTo("200");
    }

    /** The output of a command that uses a pod's resolv.conf. */
    private String resolve(String command) throws Exception {
        Path config = directory.resolve("resolv.conf");
        Files.writeString(
                config,
                "nameserver " + DnsNamespaces.SERVER
                        + "\nsearch shop.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n");
        String script = "mount --bind " + config + " /etc/resolv.conf && " + command;
        Process process = namespaces
                .client()
                .call(() -> new ProcessBuilder("unshare", "--mount", "sh", "-c", script)
                        .redirectErrorStream(true)
                        .start());
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
