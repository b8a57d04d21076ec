package dev.nodepath.cni.server;

import dev.nodepath.cni.LinkRemoval;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.util.ArrayList;
import java.util.List;

/**
 * Deletes together the links of DELs that run at the same time. For each request the kernel waits until nobody looks at the links
 * any more, some 15 ms, whether they are one or twenty, and lets nobody else change links meanwhile.
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
    private List<Removal> waiting = new ArrayList<>();
    private boolean deleting;

    @Override
    public void remove(NetworkNamespace host, int index) throws LinuxNetException {
        Removal own = new Removal(index);
        List<Removal> batch = join(own);
        if (!batch.isEmpty()) {
            boolean gone = false;
            try {
                gone = delete(host, batch);
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

    /** Whether all of them are gone. */
    private boolean delete(NetworkNamespace host, List<Removal> batch) {
        try {
            if (batch.size() == 1) {
                single.remove(host, batch.get(0).index);
            } else {
                host.deleteLinks(batch.stream().map(removal -> removal.index).toList());
            }
            return true;
        } catch (LinuxNetException e) {
            return false;
        }
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
