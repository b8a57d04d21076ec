package dev.nodepath.emulator.traffic;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;

/** Sends a name to each client, and closes: {@code agnhost serve-hostname --tcp}. */
final class HostnameHandler extends ChannelInboundHandlerAdapter {
    private final String hostname;

    HostnameHandler(String hostname) {
        this.hostname = hostname;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        var unused = context.writeAndFlush(Unpooled.copiedBuffer(hostname, StandardCharsets.UTF_8))
                .addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        var unused = context.close();
    }
}
