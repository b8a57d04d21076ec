package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.endpoints.trace.PolicyQuestions;
import dev.nodepath.endpoints.trace.Question;
import dev.nodepath.endpoints.trace.RandomQuestions;
import dev.nodepath.endpoints.trace.RoutedNetwork;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Services and options for the node of a {@link RoutedNetwork}, and questions to the Services. */
record TracedCluster(IpFamily family, ServiceSnapshot snapshot, NftablesConfig config, List<Question> questions) {
    /** Every traffic policy. */
    static TracedCluster ofPolicies(IpFamily family, Cidr pods, boolean masqueradeAll) {
        PolicyQuestions policies = new PolicyQuestions(family);
        NftablesConfig config = NftablesConfig.DEFAULTS.with(draft -> {
            draft.nodeName = "n1";
            draft.detectLocal = new DetectLocal.ClusterCidr(List.of(pods));
            draft.masqueradeAll = masqueradeAll;
            draft.hostAddresses = List.copyOf(RoutedNetwork.nodeAddresses(family));
            draft.singleEndpoint = SingleEndpoint.MAP;
        });
        return new TracedCluster(family, policies.snapshot(), config, policies.questions());
    }

    /** Anything; every second one has so many Services that they share maps. */
    static TracedCluster random(long seed) {
        // Random's first numbers are alike for seeds in a row.
        Random random = new Random(new SplittableRandom(seed).nextLong());
        IpFamily family = random.nextBoolean() ? IpFamily.IPV4 : IpFamily.IPV6;
        RandomQuestions cluster = new RandomQuestions(random, family, random.nextBoolean() ? ManyLimit.MANY : 0);
        NftablesConfig config = NftablesConfig.DEFAULTS.with(draft -> {
            draft.nodeName = "n1";
            draft.hostAddresses = List.copyOf(RoutedNetwork.nodeAddresses(family));
            draft.detectLocal = switch (random.nextInt(4)) {
                case 0 -> DetectLocal.NONE;
                case 1 -> new DetectLocal.NodeCidr();
                case 2 -> DetectLocal.interfaceNamePrefix("pod");
                default -> new DetectLocal.ClusterCidr(List.of(cluster.podCidr()));
            };
            draft.nodePortAddresses = switch (random.nextInt(3)) {
                case 0 -> NodePortAddresses.ALL;
                case 1 -> new NodePortAddresses(List.of(cluster.podCidr()), false);
                default -> NodePortAddresses.PRIMARY;
            };
            draft.singleEndpoint = random.nextBoolean() ? SingleEndpoint.MAP : SingleEndpoint.DNAT;
            draft.masqueradeAll = random.nextInt(4) == 0;
        });
        return new TracedCluster(family, cluster.snapshot(), config, cluster.questions());
    }

    NftTableState table() {
        return NftablesProxy.table(snapshot, config, family);
    }

    Function<TracedPacket, Trace> tracer() {
        NftTableState table = table();
        return packet -> TableTracer.trace(table, packet, RoutedNetwork.nodeAddresses(family));
    }

    /** Its subject; the many Services without questions are left out. */
    @Override
    public String toString() {
        return family + ", " + config
                + snapshot.services().values().stream()
                        .filter(service -> service.name().service().namespace().equals("a"))
                        .map(ServicePort::toString)
                        .collect(Collectors.joining("\n", "\n", "\n"));
    }
}
