package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.trace.PolicyQuestions;
import dev.nodepath.endpoints.trace.Question;
import dev.nodepath.endpoints.trace.QuestionedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RuleSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tracer agrees with the kernel about the possible endpoints and the visible source, for every source, entry,
 * traffic policy and place of endpoints.
 */
@Tag("netns")
class TracerNetnsTest {
    @ParameterizedTest
    @CsvSource({
        "IPV4, 10.244.0.0/16, false",
        "IPV4, 10.244.0.0/16, true",
        "IPV4, 10.244.1.0/24, false",
        "IPV4, 10.244.1.0/24, true",
        "IPV6, fd00:10:244:1::/64, false"
    })
    void tellsWhatTheKernelDoes(IpFamily family, Cidr pods, boolean masqueradeAll) throws Exception {
        IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> {
            draft.nodeName = "n1";
            draft.detectLocal = new DetectLocal.ClusterCidr(List.of(pods));
            draft.masqueradeAll = masqueradeAll;
        });
        PolicyQuestions policies = new PolicyQuestions(family);
        RuleSet rules = IptablesRules.of(policies.snapshot(), config, family);
        Function<TracedPacket, Trace> tracer =
                packet -> PacketTracer.trace(rules, packet, RoutedNetwork.nodeAddresses(family));
        Set<String> promised = new TreeSet<>();
        for (Question question : policies.questions()) {
            promised.addAll(QuestionedNetwork.promised(question.packet(), tracer.apply(question.packet())));
        }
        try (QuestionedNetwork network = new QuestionedNetwork();
                IptablesProxy proxy = new IptablesProxy(
                        config,
                        List.of(network.hosts().iptables(Host.NODE).iptables(family)),
                        network.hosts().handle(Host.NODE),
                        Optional.empty())) {
            proxy.sync(policies.snapshot(), ChangeSet.NONE);
            assertThat(network.differences(policies.questions(), tracer, true)).isEmpty();
        }
        assertThat(promised)
                .contains("DROP", "REJECT", "LOCAL_SERVER sees " + RoutedNetwork.podGateway(family))
                .contains("REMOTE_SERVER sees " + Host.NODE.address(family))
                .contains("LOCAL_SERVER sees " + Host.OUTSIDE.address(family));
    }
}
