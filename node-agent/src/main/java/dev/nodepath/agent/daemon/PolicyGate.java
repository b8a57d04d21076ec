package dev.nodepath.agent.daemon;

import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyAnswer;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
import dev.nodepath.policy.object.PolicyVerdict;
import dev.nodepath.proxy.userspace.relay.ConnectionPolicy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policies' answer about a relay's connections. The tables do not decide about connections of clients to the
 * relay, nor about those of the relay to its node's pods. It allows all until a snapshot has a policy, so the relay
 * waits for the first snapshot.
 */
final class PolicyGate implements ConnectionPolicy, Consumer<PolicySnapshot> {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyGate.class);

    /** Between two looks whether the policies are known. */
    private static final Duration LOOK = Duration.ofMillis(10);

    private final String node;
    private volatile boolean known;
    private volatile Optional<Asked> asked = Optional.empty();

    /** The policies in force. */
    private record Asked(PolicySnapshot snapshot, PolicyEvaluator evaluator) {}

    /** Allows every connection until the first snapshot. */
    PolicyGate(String node) {
        this.node = node;
    }

    /** Waits for the policies up to the limit: the server may be away for longer. */
    void await(Running running, Duration limit) throws InterruptedException {
        long start = System.nanoTime();
        while (!known) {
            running.waiting("the NetworkPolicies are not known yet");
            if (System.nanoTime() - start > limit.toNanos()) {
                LOG.atWarn().addKeyValue("waited_ms", limit.toMillis()).log("policy.relay_not_guarded");
                return;
            } else if (running.awaitStop(LOOK)) {
                return;
            }
        }
    }

    @Override
    public void accept(PolicySnapshot snapshot) {
        if (asked.isPresent() && asked.get().snapshot.equals(snapshot)) {
            return;
        }
        asked = snapshot.isWithoutPolicies()
                ? Optional.empty()
                : Optional.of(new Asked(snapshot, new PolicyEvaluator(snapshot)));
        known = true;
    }

    @Override
    public boolean allows(IpAddress client, InetSocketAddress endpoint, Protocol protocol) {
        return asked.map(now -> allows(now, client, endpoint, protocol)).orElse(true);
    }

    private boolean allows(Asked now, IpAddress client, InetSocketAddress endpoint, Protocol protocol) {
        PolicyVerdict verdict = now.evaluator.judge(
                new PolicyPacket(client, IpAddress.of(endpoint.getAddress()), protocol.number(), endpoint.getPort()));
        return verdict.ingress().allows() && !isRefusedHere(now, verdict.egress());
    }

    /** The egress policies of a client on another node were asked there. */
    private boolean isRefusedHere(Asked now, PolicyAnswer egress) {
        if (egress instanceof PolicyAnswer.Refusal refusal) {
            PolicyPod client = now.snapshot.pods().get(refusal.pod());
            return client != null && client.node().equals(node);
        }
        return false;
    }
}
