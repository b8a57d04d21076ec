package dev.nodepath.emulator.traffic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;

/**
 * Takes bytes until the client shuts down its output, then answers with their number (8 bytes, big endian) and closes.
 * So a client knows that every byte arrived and that its half-close passed every proxy.
 */
final class BulkSinkHandler extends ChannelInboundHandlerAdapter {
    private long bytes;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf data = (ByteBuf) message;
        bytes += data.readableBytes();
        data.release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            context.writeAndFlush(Unpooled.copyLong(bytes)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }
}
