package dev.nodepath.agent.policy;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.PolicyObjects;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a pod of the agent's network have its addresses when its isolation stands. The runtime names the Pod in {@code CNI_ARGS}, as the
 * kubelet's runtimes do.
 */
public final class PodGate implements AddressGate {
    private static final Logger LOG = LoggerFactory.getLogger(PodGate.class);

    private final PolicyObjects objects;
    private final Duration wait;

    /** Waits at most so long. */
    public PodGate(PolicyObjects objects, Duration wait) {
        this.objects = objects;
        this.wait = wait;
    }

    @Override
    public void pass(String network, Map<String, String> args, List<IpAddress> addresses) throws CniException {
        String name = args.getOrDefault("K8S_POD_NAME", "");
        String namespace = args.getOrDefault("K8S_POD_NAMESPACE", "");
        if (!network.equals(Conflist.NETWORK) || name.isEmpty() || namespace.isEmpty() || addresses.isEmpty()) {
            return;
        }
        NamespacedName pod = new NamespacedName(namespace, name);
        switch (guard(pod, args.getOrDefault("K8S_POD_UID", ""), addresses)) {
            case STANDS -> {}
            case POD_UNKNOWN ->
                throw new CniException(
                        ErrorCode.TRY_AGAIN_LATER,
                        "NetworkPolicies: those of Pod " + pod + " are not in force after " + wait.toMillis()
                                + " ms (--network-policy-wait); the API server may not have told of the Pod yet");
            case NOTHING_ENFORCED ->
                LOG.atWarn()
                        .addKeyValue("pod", pod)
                        .addKeyValue("waited_ms", wait.toMillis())
                        .log("policy.pod_not_guarded");
        }
    }

    private PolicyObjects.Guard guard(NamespacedName pod, String uid, List<IpAddress> addresses) throws CniException {
        try {
            return objects.guard(pod, uid, addresses, wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CniException(ErrorCode.TRY_AGAIN_LATER, "NetworkPolicies: the agent is stopping", e);
        }
    }
}
