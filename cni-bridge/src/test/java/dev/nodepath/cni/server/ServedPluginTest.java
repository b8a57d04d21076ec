package dev.nodepath.cni.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.BridgePlugin;
import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.LinkRemoval;
import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.MemoryLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.FakeLinuxNet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The calls that a server makes if its files are, or are not, those of its client. */
class ServedPluginTest {
    private static final FileIdentity NODES = new FileIdentity(1, 2);
    private static final FileIdentity CONTAINERS = new FileIdentity(3, 4);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                             | true  | true",
                "{\"type\":\"host-local\",\"dataDir\":\"/run/nodepath/ipam\"}         | true  | true",
                "{\"type\":\"host-local\",\"DataDir\":\"/run/nodepath/../other\"}     | true  | false",
                "{\"type\":\"host-local\",\"dataDir\":\"/run/nodepathology\"}         | true  | false",
                "{\"type\":\"host-local\"}                                       | true  | false",
                "{\"type\":\"host-local\",\"dataDir\":\"/run/nodepath/ipam\",\"resolvConf\":\"/etc/resolv.conf\"} | true | false",
                "{\"type\":\"static\"}                                           | false | false",
                "{\"type\":\"host-local\",\"dataDir\":\"not absolute\"}             | true  | true",
            })
    void leavesToTheClientWhatDependsOnOtherFiles(String ipam, boolean sameFiles, boolean otherFiles) {
        assertThat(status(ipam, NODES).isPresent()).isEqualTo(sameFiles);
        assertThat(status(ipam, CONTAINERS).isPresent()).isEqualTo(otherFiles);
    }

    /** An earlier configuration may have given addresses, which are in a folder of the node's then. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}                                                             | true  | false",
                "{\"type\":\"host-local\",\"dataDir\":\"/run/nodepath/ipam\"}         | true  | true",
                "{\"type\":\"host-local\"}                                       | true  | false",
                "{\"type\":\"static\"}                                           | false | false",
            })
    void leavesARemovalToTheClientWhereAddressesMayBeInTheNodesFolder(
            String ipam, boolean sameFiles, boolean otherFiles) {
        assertThat(call("GC", ipam, NODES).isPresent()).isEqualTo(sameFiles);
        assertThat(call("GC", ipam, CONTAINERS).isPresent()).isEqualTo(otherFiles);
    }

    private static Optional<CallOutcome> status(String ipam, FileIdentity server) {
        return call("STATUS", ipam, server);
    }

    private static Optional<CallOutcome> call(String command, String ipam, FileIdentity server) {
        BridgePlugin plugin = new BridgePlugin(
                new FakeLinuxNet(),
                new HostLocalIpam(new MemoryLocks(), Duration.ZERO),
                LinkRemoval.immediate(),
                new SplittableRandom(1),
                AddressGate.OPEN);
        Invocation invocation = new Invocation(plugin, Path.of("/proc/self/ns/net"), Path.of("/var/lib/cni/networks"));
        String config = "{\"cniVersion\":\"1.1.0\",\"name\":\"n\",\"type\":\"x\",\"ipam\":" + ipam + "}";
        CallRequest request = new CallRequest(
                Map.of("CNI_COMMAND", command, "CNI_PATH", "/opt/cni/bin"),
                StandardCharsets.UTF_8.encode(config),
                NODES);
        return new ServedPlugin(invocation, server, Path.of("/run/nodepath")).handle(request, Optional.empty());
    }
}
