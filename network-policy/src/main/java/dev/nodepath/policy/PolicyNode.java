package dev.nodepath.policy;

import dev.nodepath.policy.object.PolicyPod;

/**
 * The node of a table.
 *
 * @param name of its Node
 * @param bridge the link of its pods
 * @param relays whether a relay on the node takes connections to Services, and asks the policies itself
 * @param strict whether connections that a change forbids are ended, and none may be picked up in its midst
 * @param logGroup the NFLOG group for refused packets; 0 for none
 */
public record PolicyNode(String name, String bridge, boolean relays, boolean strict, int logGroup) {
    /** The same without a log. */
    public PolicyNode withoutLog() {
        return new PolicyNode(name, bridge, relays, strict, 0);
    }

    boolean has(PolicyPod pod) {
        return pod.node().equals(name);
    }
}
