package dev.nodepath.cni.server;

import dev.nodepath.cni.bridge.LinkRemoval;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes together the links of DELs that run at the same time, and waits until they are gone, not until the kernel has freed
 * their memory; see {@link LinkDeletion}.
 *
 * <p>Nobody waits for company: the first deletes its link at once, and those that come while it does are the next batch.
 */
public final class GatheredRemoval implements LinkRemoval {
    /** One link's removal; guarded by the lock of the whole. */
    private static final class Removal {
        final int index;
        boolean done;
        boolean gone;

        Removal(int index) {
            this.index = index;
        }
    }

    private final LinkRemoval single = LinkRemoval.immediate();
    private final LinkDeletion deletion;
    private List<Removal> waiting = new ArrayList<>();
    private boolean deleting;

    /** Removals from the namespace that is the net's current one. */
    public GatheredRemoval(LinuxNet net) {
        this.deletion = new LinkDeletion(net);
    }

    @Override
    public void remove(NetworkNamespace host, int index) throws LinuxNetException {
        Removal own = new Removal(index);
        List<Removal> batch = join(own);
        if (!batch.isEmpty()) {
            boolean gone = false;
            try {
                gone = deletion.delete(
                        host, batch.stream().map(removal -> removal.index).toList());
            } finally {
                finish(batch, gone);
            }
        }
        if (!own.gone) {
            // The problem may be a neighbour's: alone it is this link that succeeds or fails.
            single.remove(host, index);
        }
    }

    /** Waits until the own removal is done, then empty, or until it is this thread's turn to delete what has gathered. */
    private synchronized List<Removal> join(Removal own) {
        waiting.add(own);
        boolean interrupted = false;
        while (deleting && !own.done) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true; // the DEL goes on; its thread ends with it
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (own.done) {
            return List.of();
        }
        deleting = true;
        List<Removal> batch = waiting;
        waiting = new ArrayList<>();
        return batch;
    }

    private synchronized void finish(List<Removal> batch, boolean gone) {
        for (Removal removal : batch) {
            removal.gone = gone;
            removal.done = true;
        }
        deleting = false;
        notifyAll();
    }
}
