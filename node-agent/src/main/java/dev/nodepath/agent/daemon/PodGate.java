package dev.nodepath.agent.daemon;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.PolicyTableGate;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.PolicyObjects;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a pod of the agent's network have its addresses once it is isolated. The runtime passes the Pod's name in
 * {@code CNI_ARGS}, like the kubelet's runtimes.
 */
final class PodGate implements AddressGate {
    private static final Logger LOG = LoggerFactory.getLogger(PodGate.class);

    private final LinuxNet net;
    private final PolicyObjects objects;
    private final PolicyMark mark;
    private final Duration wait;

    /**
     * Waits at most so long.
     *
     * @param net while a table of policies is there, no pod passes before the agent has tried to enforce them
     * @param mark likewise
     */
    PodGate(LinuxNet net, PolicyObjects objects, PolicyMark mark, Duration wait) {
        this.net = net;
        this.objects = objects;
        this.mark = mark;
        this.wait = wait;
    }

    @Override
    public Passage announce(String network, Map<String, String> args, Optional<Path> file, List<IpAddress> addresses) {
        String name = args.getOrDefault("K8S_POD_NAME", "");
        String namespace = args.getOrDefault("K8S_POD_NAMESPACE", "");
        if (!network.equals(Conflist.NETWORK) || name.isEmpty() || namespace.isEmpty() || addresses.isEmpty()) {
            return Passage.OPEN;
        }
        NewPod pod = new NewPod(
                net,
                objects,
                mark,
                wait,
                new NamespacedName(namespace, name),
                args.getOrDefault("K8S_POD_UID", ""),
                addresses);
        objects.give(pod.name, pod.uid, addresses);
        return pod;
    }

    /** Its Pod may live on without a status, and another pod may get the addresses. */
    @Override
    public void release(String network, Held held) throws IOException {
        if (network.equals(Conflist.NETWORK)) {
            objects.withdraw(held.addresses());
        }
    }

    private record NewPod(
            LinuxNet net,
            PolicyObjects objects,
            PolicyMark mark,
            Duration limit,
            NamespacedName name,
            String uid,
            List<IpAddress> addresses)
            implements Passage {
        @Override
        public void await() throws CniException {
            switch (guard()) {
                case STANDS -> {}
                case POD_UNKNOWN ->
                    throw new CniException(
                            ErrorCode.TRY_AGAIN_LATER,
                            "NetworkPolicies: those of Pod " + name + " are not in force after " + limit.toMillis()
                                    + " ms (--network-policy-wait); the API server may not have told of the Pod or its"
                                    + " Namespace yet, or the kernel has refused what they need");
                case NOTHING_ENFORCED -> pass();
                case NOTHING_TRIED -> {
                    Optional<String> sign = PolicyTableGate.sign(net, Optional.of(mark.path()));
                    if (sign.isPresent()) {
                        throw new CniException(
                                ErrorCode.TRY_AGAIN_LATER,
                                "NetworkPolicies: those of this node were in force before the agent started, and are"
                                        + " not in force again (" + sign.get()
                                        + " is there; expected: an API server that tells of them, or the agent with"
                                        + " --network-policy=false)");
                    }
                    pass();
                }
            }
        }

        private void pass() {
            LOG.atWarn()
                    .addKeyValue("pod", name)
                    .addKeyValue("waited_ms", limit.toMillis())
                    .log("policy.pod_not_guarded");
        }

        private PolicyObjects.Guard guard() throws CniException {
            try {
                return objects.guard(name, uid, addresses, limit);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CniException(ErrorCode.TRY_AGAIN_LATER, "NetworkPolicies: the agent is stopping", e);
            }
        }

        @Override
        public void withdraw() {
            objects.withdraw(name, addresses);
        }
    }
}
