package dev.nodepath.agent.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
import dev.nodepath.policy.verdict.PolicyAnswer;
import dev.nodepath.policy.verdict.PolicyEvaluator;
import dev.nodepath.policy.verdict.PolicyPacket;
import dev.nodepath.policy.verdict.PolicyVerdict;
import dev.nodepath.proxy.userspace.balance.ConnectionPolicy;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What policies say of a relay's connections. No table asks about those of clients to the relay, nor about those of
 * the relay to its node's pods. It allows all until a snapshot tells of a policy.
 */
public final class PolicyGate implements ConnectionPolicy, Consumer<PolicySnapshot> {
    private final String node;
    private volatile Optional<Asked> asked = Optional.empty();

    /** The policies in force. */
    private record Asked(PolicySnapshot snapshot, PolicyEvaluator evaluator) {}

    /** Allows everything. */
    public PolicyGate(String node) {
        this.node = node;
    }

    @Override
    public void accept(PolicySnapshot snapshot) {
        if (asked.isPresent() && asked.get().snapshot.equals(snapshot)) {
            return;
        }
        asked = snapshot.isWithoutPolicies()
                ? Optional.empty()
                : Optional.of(new Asked(snapshot, new PolicyEvaluator(snapshot)));
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
        if (egress instanceof PolicyAnswer.Refused refused) {
            return isHere(now, refused.pod());
        }
        return egress instanceof PolicyAnswer.Denied denied && isHere(now, denied.pod());
    }

    private boolean isHere(Asked now, NamespacedName pod) {
        PolicyPod client = now.snapshot.pods().get(pod);
        return client != null && client.node().equals(node);
    }
}
