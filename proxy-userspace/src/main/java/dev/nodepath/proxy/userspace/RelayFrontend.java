package dev.nodepath.proxy.userspace;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An accepted client until an endpoint answers. Then a {@link Relay} takes its place; a client that cannot be served is
 * reset, as a plain close would look like a Service that answered nothing.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What becomes of a channel comes as an event of its pipeline.
final class RelayFrontend extends ChannelInboundHandlerAdapter implements Dial.Outcome, HalfClosed.Connection {
    private final EpollSocketChannel client;
    private final RelayContext context;

    /**
     * What the client sent already. It is not read from while the dial goes on; but when it ends its stream or resets,
     * the transport reads all that its socket holds, at most {@code net.ipv4.tcp_rmem}.
     */
    private final List<ByteBuf> early = new ArrayList<>(0);

    private boolean inputEnded;
    private @Nullable HalfClosed halfClosed;
    private @Nullable Dial dial;

    RelayFrontend(EpollSocketChannel client, RelayContext context) {
        this.client = client;
        this.context = context;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        RelayMetrics metrics = context.metrics();
        metrics.accepted.increment();
        int connections = metrics.active.incrementAndGet();
        context.clients().add(client);
        client.closeFuture().addListener(closed -> {
            context.clients().remove(client);
            metrics.active.decrementAndGet();
        });
        if (connections > context.config().connectionsMax()) {
            metrics.overLimit.increment();
            context.log().limitReached(context.config().connectionsMax());
            Sockets.reset(client);
            return;
        }
        PortalTable.Entry service = service();
        if (service == null) {
            Sockets.reset(client);
            return;
        }
        dial = new Dial(client.eventLoop(), service, context, this);
        dial.next();
    }

    private PortalTable.@Nullable Entry service() {
        Destination destination;
        try {
            destination = context.originalDestination().of(client);
        } catch (IOException e) {
            context.metrics().withoutTranslation.increment();
            context.log().noTranslation(e);
            return null;
        }
        PortalTable.Entry service = context.portals().find(destination);
        if (service == null) {
            context.metrics().withoutPortal.increment();
            context.log().noPortal(destination);
        }
        return service;
    }

    @Override
    public void connected(EpollSocketChannel backend) {
        unwatch();
        Relay relay = new Relay(client, backend, context);
        client.pipeline().replace(this, null, relay.clientSide());
        backend.pipeline().addLast(relay.backendSide());
        relay.start(early, inputEnded);
        early.clear();
    }

    @Override
    public void failed() {
        Sockets.reset(client);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        early.add((ByteBuf) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE && client.isActive()) {
            inputEnded = true;
            halfClosed =
                    new HalfClosed(client.eventLoop(), this, context.config().halfCloseLinger());
            halfClosed.watch();
        }
    }

    private void unwatch() {
        if (halfClosed != null) {
            halfClosed.cancel();
        }
    }

    @Override
    public boolean isDead() {
        return HalfClosed.isReset(client);
    }

    @Override
    public long movedBytes() {
        return 0;
    }

    @Override
    public boolean hasSentWithin(long millis) {
        return false;
    }

    @Override
    public void breakOff() {
        Sockets.reset(client);
    }

    @Override
    public void expire() {
        Sockets.reset(client);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Sockets.reset(client);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        unwatch();
        if (dial != null) {
            dial.cancel();
        }
        early.forEach(ByteBuf::release);
        early.clear();
    }
}
