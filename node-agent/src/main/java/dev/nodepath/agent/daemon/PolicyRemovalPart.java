package dev.nodepath.agent.daemon;

import dev.nodepath.agent.cluster.Notices;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.linux.KernelLinuxNet;

/** Removes leftovers of policies, if the agent enforces none. It tries until it succeeds. */
final class PolicyRemovalPart implements Part {
    private final KernelLinuxNet net;
    private final PolicyMark mark;
    private final Notices notices;

    /** Tables of the namespace that this process is in, and the mark of its node. */
    PolicyRemovalPart(KernelLinuxNet net, PolicyMark mark, Notices notices) {
        this.net = net;
        this.mark = mark;
        this.notices = notices;
    }

    @Override
    public String name() {
        return "policy";
    }

    @Override
    public void run(Running running) throws InterruptedException {
        boolean removed = false;
        do {
            removed = removed || PolicyPart.removeMark(PolicyPart.removeTables(net), mark, notices, running);
        } while (!running.awaitStop(PolicyPart.LOOK));
    }
}
