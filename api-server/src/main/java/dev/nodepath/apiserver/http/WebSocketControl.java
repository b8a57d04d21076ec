package dev.nodepath.apiserver.http;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;

/** Answers a WebSocket's pings, and ends the connection when the client closes it (RFC 6455, section 5.5). */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection anyway
final class WebSocketControl extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) throws Exception {
        if (frame instanceof PingWebSocketFrame ping) {
            context.writeAndFlush(new PongWebSocketFrame(ping.content()));
        } else if (frame instanceof PongWebSocketFrame pong) {
            pong.release();
        } else if (frame instanceof CloseWebSocketFrame close) {
            context.writeAndFlush(close).addListener(ChannelFutureListener.CLOSE);
        } else {
            super.channelRead(context, frame);
        }
    }
}
