package dev.nodepath.agent.install;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.cluster.PodMtu;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkPartTest {
    @TempDir
    private Path root;

    private Optional<NodeInfo> node = Optional.of(node("10.244.1.0/24"));
    private PodMtu mtu = new PodMtu(true, Optional.of(1450));
    private boolean netfilter = true;
    private final FakeIptables iptables = new FakeIptables(IpFamily.IPV4);
    private final List<List<Cidr>> outdated = new ArrayList<>();
    private final Notices notices = new Notices("n1", InstantSource.system());
    private String state = "";
    private long nanos = 1;
    private Duration nextLook = Duration.ZERO;
    private Optional<String> sourceProblem = Optional.empty();
    private Optional<String> trialFailure = Optional.empty();
    private int sourceRepairs;

    /** The answers of a kernel. */
    private final NetworkPart.PodSources sources = new NetworkPart.PodSources() {
        @Override
        public Optional<String> problem() throws IOException {
            if (trialFailure.isPresent()) {
                throw new IOException(trialFailure.get());
            }
            return sourceProblem;
        }

        @Override
        public boolean repair() {
            sourceRepairs++;
            return true;
        }
    };

    private static NodeInfo node(String... podCidrs) {
        return new NodeInfo(
                "n1", "", List.of(), List.of(podCidrs).stream().map(Cidr::parse).toList());
    }

    private interface Step {
        void run() throws IOException;
    }

    /** Runs a part, and a step after each of its rounds. */
    private void run(Step... steps) throws Exception {
        HostFolders folders =
                new HostFolders(root, Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d"));
        NetworkSettings settings = new NetworkSettings(folders, Path.of("/run/nodepath/ipam"), Optional.empty(), true);
        BridgeNetfilterModule module = new BridgeNetfilterModule(() -> netfilter, () -> iptables);
        NetworkPart.Gateways gateways = podCidrs -> {
            outdated.add(podCidrs);
            throw new IOException("no such bridge");
        };
        new NetworkPart(
                        settings,
                        Optional.empty(),
                        module,
                        sources,
                        gateways,
                        () -> node,
                        () -> mtu,
                        notices,
                        () -> nanos)
                .run(new Running() {
                    private int round;

                    @Override
                    public void up() {
                        state = "up";
                    }

                    @Override
                    public void waiting(String reason) {
                        state = reason;
                    }

                    @Override
                    public boolean awaitStop(Duration limit) {
                        nextLook = limit;
                        if (round == steps.length) {
                            return true;
                        }
                        try {
                            steps[round++].run();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                        return false;
                    }
                });
    }

    private Path file() {
        return root.resolve("etc/cni/net.d").resolve(ConflistFile.NAME);
    }

    private String conflist() throws IOException {
        return Files.readString(file());
    }

    @Test
    void keepsTheMtuWhileTheRoutesAreBegunAgain() throws Exception {
        run(
                () -> {
                    assertThat(conflist()).contains("\"mtu\" : 1450");
                    mtu = PodMtu.UNSETTLED;
                    node = Optional.of(node("10.244.1.0/24", "fd00::/64"));
                },
                () -> {
                    assertThat(conflist()).contains("\"mtu\" : 1450");
                    mtu = new PodMtu(true, Optional.empty());
                },
                () -> {
                    assertThat(conflist()).contains("\"mtu\" : 1450", "fd00::/64");
                    mtu = new PodMtu(true, Optional.of(9000));
                },
                () -> assertThat(conflist()).contains("\"mtu\" : 9000"));
        assertThat(state).isEqualTo("up");
    }

    /** A slow API server must not use up the time that the routes have. */
    @Test
    void waitsForTheMtuFromWhenTheNodeIsKnown() throws Exception {
        mtu = PodMtu.UNSETTLED;
        Optional<NodeInfo> own = node;
        node = Optional.empty();
        run(
                () -> {
                    nanos += Duration.ofSeconds(20).toNanos();
                    node = own;
                },
                () -> {
                    assertThat(file()).doesNotExist();
                    mtu = new PodMtu(true, Optional.of(1450));
                },
                () -> assertThat(conflist()).contains("\"mtu\" : 1450"));
    }

    @Test
    void writesTheMtuSoonAfterItIsKnown() throws Exception {
        mtu = PodMtu.UNSETTLED;
        run(
                () -> {
                    assertThat(file()).doesNotExist();
                    nanos += Duration.ofSeconds(3).toNanos();
                },
                () -> {
                    assertThat(conflist()).doesNotContain("mtu");
                    assertThat(nextLook).isLessThan(NetworkPart.LOOK);
                    mtu = new PodMtu(true, Optional.of(1450));
                },
                () -> {
                    assertThat(conflist()).contains("\"mtu\" : 1450");
                    assertThat(nextLook).isEqualTo(NetworkPart.LOOK);
                });
    }

    @Test
    void aConflistThatStandsIsEnoughWhileTheNodeIsNotKnown() throws Exception {
        node = Optional.empty();
        run(() -> assertThat(state).isEqualTo("the Node, with its podCIDRs, is not known yet"));
        assertThat(file()).doesNotExist();

        Files.createDirectories(file().getParent());
        Files.writeString(file(), "{}");
        run(() -> assertThat(state).isEqualTo("up"));
        assertThat(conflist()).isEqualTo("{}");
    }

    @Test
    void aNodeWithoutPodCidrsIsWaitedFor() throws Exception {
        node = Optional.of(node());
        run(
                () -> {
                    assertThat(state).startsWith("the Node");
                    assertThat(file()).doesNotExist();
                    node = Optional.of(node("10.244.1.0/24"));
                },
                () -> assertThat(conflist()).contains("10.244.1.0/24"));
    }

    @Test
    void hasTheKernelLoadTheModuleThatBridgesNeed() throws Exception {
        netfilter = false;
        iptables.afterRestore(() -> netfilter = true);
        run(() -> assertThat(conflist()).contains("10.244.1.0/24"));
        assertThat(state).isEqualTo("up");
        assertThat(iptables.restored().get(0)).contains("-m physdev");
        assertThat(iptables.save()).as("what is left of the rule").doesNotContain("physdev", "NODEPATH");
    }

    @Test
    void checksTheSourcesOfPodsAsSoonAsTheKernelCan() throws Exception {
        sourceProblem = Optional.of("no such family");
        run(
                () -> {
                    assertThat(conflist()).doesNotContain("spoof");
                    sourceProblem = Optional.empty();
                },
                () -> {
                    assertThat(conflist()).contains("\"ipspoofchk\" : true");
                    sourceProblem = Optional.of("not asked again");
                },
                () -> assertThat(conflist()).contains("\"ipspoofchk\" : true"));
        assertThat(state).isEqualTo("up");
    }

    @Test
    void aFailureThatMayPassTakesTheCheckFromNoPod() throws Exception {
        trialFailure = Optional.of("out of memory");
        run(
                () -> {
                    assertThat(conflist()).contains("\"ipspoofchk\" : true");
                    trialFailure = Optional.empty();
                    sourceProblem = Optional.of("no such family");
                },
                () -> assertThat(conflist()).doesNotContain("spoof"));
    }

    @Test
    void looksForRulesThatAreMissingWhereSourcesAreChecked() throws Exception {
        run(
                () -> assertThat(sourceRepairs).isEqualTo(1),
                () -> assertThat(sourceRepairs).isEqualTo(2));
        sourceProblem = Optional.of("no such family");
        int before = sourceRepairs;
        run(() -> assertThat(sourceRepairs).isEqualTo(before));
    }

    @Test
    void withoutThatModuleNoNodeGetsANetworkAndAStandingOneStays() throws Exception {
        netfilter = false;
        iptables.refuse("physdev");
        run(
                () -> {
                    assertThat(state).contains("br_netfilter", "which was refused", "'modprobe br_netfilter'");
                    assertThat(file()).doesNotExist();
                    netfilter = true;
                },
                () -> {
                    assertThat(state).isEqualTo("up");
                    Files.writeString(file(), "standing");
                    netfilter = false;
                },
                () -> {
                    assertThat(state).contains("'modprobe br_netfilter'");
                    assertThat(conflist()).isEqualTo("standing");
                });
    }

    @Test
    void saysThatThePodCidrHasChangedAlsoSinceAnEarlierProcess() throws Exception {
        run();
        node = Optional.of(node("10.244.7.0/24"));
        try (LogCapture log = new LogCapture(Notices.class)) {
            run();
            assertThat(log.warnings("reason=PodCIDRChanged"))
                    .singleElement()
                    .asString()
                    .contains("from [10.244.1.0/24] to [10.244.7.0/24]", "cni0 keeps the old gateway addresses");
        }
        assertThat(outdated).contains(List.of(Cidr.parse("10.244.7.0/24")));
        assertThat(state).as("with addresses that could not be removed").isEqualTo("up");
    }

    @Test
    void bringsBackAConflistThatSomebodyRemoved() throws Exception {
        run(() -> Files.delete(file()), () -> assertThat(conflist()).contains("10.244.1.0/24"));
    }
}
