package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** IPv4-mapped IPv6 addresses count as IPv4 in every field. */
class MappedAddressTest extends FakeNodeTest {
    private static final String RANGE = "\"subnet\":\"10.1.2.0/24\"";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"subnet\":\"::ffff:10.1.2.0/120\"|\"address\":\"10.1.2.2/24\",\"gateway\":\"10.1.2.1\"",
                "\"subnet\":\"::ffff:a01:200/120\"|\"address\":\"10.1.2.2/24\",\"gateway\":\"10.1.2.1\"",
                "\"subnet\":\"10.1.2.0/24\",\"rangeStart\":\"::ffff:10.1.2.9\"|\"10.1.2.9/24\"",
                "\"subnet\":\"10.1.2.0/24\",\"rangeEnd\":\"::ffff:10.1.2.9\"|\"10.1.2.2/24\"",
                "\"subnet\":\"10.1.2.0/24\",\"gateway\":\"::ffff:10.1.2.254\"|\"gateway\":\"10.1.2.254\"",
                "\"subnet\":\"10.1.2.0/24\",\"exclude\":[\"::ffff:10.1.2.0/126\"]|\"10.1.2.4/24\"",
                "\"subnet\":\"10.1.2.0/24\",\"exclude\":[\"::ffff:10.1.2.2\"]|\"10.1.2.3/24\"",
            })
    void areIpv4InARange(String range, String expected) throws Exception {
        assertThat(succeeded(node.add(config().replace(RANGE, range), "dummy", netns))
                        .stdout())
                .contains(expected);
        assertThat(node.hostLinks()).contains("bridge0");
        succeeded(node.del(config().replace(RANGE, range), "dummy", netns));
        assertThat(node.reserved()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"::ffff:10.1.2.7", "::ffff:10.1.2.7/120", "::ffff:10.1.2.7/64"})
    void areIpv4InARequest(String address) throws Exception {
        String list = "\"ips\":[\"" + address + "\"]";
        for (String member : new String[] {"\"runtimeConfig\":{" + list + "}", "\"args\":{\"cni\":{" + list + "}}"}) {
            String asking = config().replaceFirst("\\{", "{" + member + ",");
            assertThat(succeeded(node.add(asking, "dummy", netns)).stdout()).contains("\"10.1.2.7/24\"");
            succeeded(node.del(asking, "dummy", netns));
        }
        Map<String, String> environment = TestNode.environment("ADD", "dummy", netns);
        environment.put("CNI_ARGS", "IP=" + address);
        assertThat(succeeded(node.call(config(), environment)).stdout()).contains("\"10.1.2.7/24\"");
    }

    @Test
    void areIpv4InARoute() throws Exception {
        String routes = "\"routes\":[{\"dst\":\"::ffff:10.8.0.0/112\",\"gw\":\"::ffff:10.1.2.1\"}],\"ranges\"";
        assertThat(succeeded(node.add(config().replace("\"ranges\"", routes), "dummy", netns))
                        .stdout())
                .contains("{\"dst\":\"10.8.0.0/16\",\"gw\":\"10.1.2.1\"}");
        assertThat(node.state("pod")).contains("10.8.0.0/16").doesNotContain("ffff");
    }

    @Test
    void areRefusedWithAPrefixOfIpv6() throws Exception {
        CallOutcome refused = node.add(config().replace(RANGE, "\"subnet\":\"::ffff:10.0.0.0/80\""), "dummy", netns);
        assertThat(refused.stdout())
                .contains("ipam.ranges[0][0].subnet: ", "expected: a prefix length of 96 to 128 for an IPv4-mapped");
    }

    /** Earlier versions gave them out as IPv6. */
    @Test
    void goWithADelAlsoWhereAnEarlierVersionGaveThemOut() throws Exception {
        Path folder = Files.createDirectories(dataDir.resolve(TestNode.NETWORK));
        Files.writeString(folder.resolve("::ffff:a01:202"), "dummy\r\neth0");
        succeeded(node.del(config(), "dummy", netns));
        assertThat(node.reserved()).isEmpty();
    }

    private String config() {
        return node.gatewayConfig("1.1.0", "10.1.2.0/24");
    }
}
