package dev.nodepath.cni.server;

import dev.nodepath.cni.LinkRemoval;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes the links of simultaneous DELs together. It waits until the links are gone, but not until the kernel has
 * freed their memory; see {@link LinkDeletion}.
 *
 * <p>The first DEL deletes its link at once. The DELs that arrive meanwhile form the next batch.
 */
public final class BatchedRemoval implements LinkRemoval {
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
    public BatchedRemoval(LinuxNet net) {
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
            // Another link of the batch may have failed. Deleted alone, this link has its own result.
            single.remove(host, index);
        }
    }

    /**
     * Waits until the link of this thread's call is removed, and returns an empty list. Or returns the next batch, if
     * this thread must delete it.
     */
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
