package dev.nodepath.apiserver.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToMessageCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import java.util.List;

/** Carries another protocol's octets in a WebSocket's binary messages, as in kubectl's port-forward since 1.31. */
final class WebSocketTunnel extends MessageToMessageCodec<BinaryWebSocketFrame, ByteBuf> {
    @Override
    protected void encode(ChannelHandlerContext context, ByteBuf octets, List<Object> out) {
        out.add(new BinaryWebSocketFrame(octets.retain()));
    }

    @Override
    protected void decode(ChannelHandlerContext context, BinaryWebSocketFrame message, List<Object> out) {
        out.add(message.content().retain());
    }
}
