package dev.nodepath.dns;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.IdleStateEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the queries of one connection, without a limit to their number. It reads no more while responses wait to be
 * sent.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failure closes the connection.
final class TcpQueries extends SimpleChannelInboundHandler<ByteBuf> {
    private static final Logger LOG = LoggerFactory.getLogger(TcpQueries.class);

    private final Resolver resolver;

    TcpQueries(Resolver resolver) {
        this.resolver = resolver;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        resolver.resolve(message, true).ifPresent(context::writeAndFlush);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        context.channel().config().setAutoRead(context.channel().isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent) {
            context.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.atDebug().addKeyValue("reason", cause.toString()).log("dns.tcp_failed");
        context.close();
    }
}
