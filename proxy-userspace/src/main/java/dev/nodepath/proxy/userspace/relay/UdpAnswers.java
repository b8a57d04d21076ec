package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.io.DatagramBatch;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The answers of endpoints in one round of an event loop. Answers are read into the slots of the outgoing batch, so no
 * datagram is copied.
 */
final class UdpAnswers {
    private final EventLoop loop;
    private final DatagramBatch batch;
    private final RelayMetrics metrics;
    private final Runnable endOfRound = this::sendAtEndOfRound;
    private @Nullable UdpPortal portal;
    private int waiting;
    private boolean willSend;

    UdpAnswers(EventLoop loop, DatagramBatch batch, RelayMetrics metrics) {
        this.loop = loop;
        this.batch = batch;
        this.metrics = metrics;
    }

    /**
     * Reads once from an endpoint.
     *
     * @return whether there may be more
     * @throws LinuxNetException if the endpoint refuses datagrams
     */
    boolean read(UdpPortal to, UdpFlow flow) throws LinuxNetException {
        if (portal != to || waiting == batch.size()) {
            send();
            portal = to;
        }
        int count = batch.receive(flow.fd().intValue(), waiting);
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            batch.address(waiting + i, flow.path());
            bytes += batch.length(waiting + i);
        }
        waiting += count;
        if (count > 0) {
            flow.answered(bytes);
        }
        metrics.add(RelayCount.DATAGRAMS_FROM_BACKENDS, count);
        if (!willSend) {
            willSend = true;
            loop.execute(endOfRound);
        }
        return waiting == batch.size();
    }

    private void sendAtEndOfRound() {
        willSend = false;
        send();
        portal = null;
    }

    private void send() {
        UdpPortal from = portal;
        int slot = 0;
        while (from != null && !from.isClosed() && slot < waiting) {
            int sent = 0;
            try {
                sent = batch.send(from.fd().intValue(), slot, waiting);
                if (sent == 0) {
                    // The kernel has no room. The datagrams are lost.
                    break;
                }
            } catch (LinuxNetException e) {
                // Only this datagram cannot be sent.
                metrics.increment(RelayCount.DATAGRAMS_DROPPED);
                sent = 1;
            }
            slot += sent;
        }
        metrics.add(RelayCount.DATAGRAMS_DROPPED, waiting - slot);
        waiting = 0;
    }
}
