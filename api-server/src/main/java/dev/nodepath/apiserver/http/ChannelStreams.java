package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.StreamSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Map;

/**
 * A WebSocket whose messages begin with the number of their stream, as in kubectl's exec and attach since 1.30
 * (remotecommand's {@code v5.channel.k8s.io}, KEP-4006). All streams are open from the start. The client ends its
 * input by a message to stream {@value #CLOSE_STREAM}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection anyway
final class ChannelStreams extends StreamHandler {
    private static final List<String> ROLES = List.of("stdin", "stdout", "stderr", "error", "resize");
    private static final int CLOSE_STREAM = 255;

    private final Channel channel;

    ChannelStreams(Channel channel, StreamSession session) {
        super(channel, session);
        this.channel = channel;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        super.handlerAdded(context);
        for (int stream = 0; stream < ROLES.size(); stream++) {
            opened(stream, Map.of("streamtype", ROLES.get(stream)));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
        try {
            if (frame instanceof BinaryWebSocketFrame message
                    && message.content().isReadable()) {
                read(message.content());
            }
        } finally {
            ReferenceCountUtil.release(frame);
        }
    }

    @Override
    public void send(int stream, byte[] octets) {
        awaitWritable();
        write(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(
                Unpooled.wrappedBuffer(new byte[] {(byte) stream}), Unpooled.wrappedBuffer(octets))));
    }

    /** The protocol cannot end a single stream towards the client. */
    @Override
    public void end(int stream) {}

    @Override
    public void close() {
        channel.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void read(ByteBuf message) {
        int stream = message.readUnsignedByte();
        if (stream != CLOSE_STREAM) {
            received(stream, ByteBufUtil.getBytes(message));
        } else if (message.isReadable()) {
            ended(message.readUnsignedByte());
        }
    }
}
