package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.StreamSession;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.spdy.DefaultSpdyDataFrame;
import io.netty.handler.codec.spdy.DefaultSpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdyDataFrame;
import io.netty.handler.codec.spdy.SpdyPingFrame;
import io.netty.handler.codec.spdy.SpdyRstStreamFrame;
import io.netty.handler.codec.spdy.SpdySynReplyFrame;
import io.netty.handler.codec.spdy.SpdySynStreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A connection with SPDY/3.1, as in kubectl's exec and port-forward. kubectl's client library does not know SPDY's
 * windows. So this side does not wait for them, and TCP slows the answer down for a slow client.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection anyway
final class SpdyStreams extends StreamHandler {
    SpdyStreams(Channel channel, StreamSession session) {
        super(channel, session);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
        try {
            if (frame instanceof SpdySynStreamFrame opened) {
                open(context, opened);
            } else if (frame instanceof SpdyDataFrame data) {
                received(data.streamId(), ByteBufUtil.getBytes(data.content()));
                if (data.isLast()) {
                    ended(data.streamId());
                }
            } else if (frame instanceof SpdyRstStreamFrame reset) {
                ended(reset.streamId());
            } else if (frame instanceof SpdyPingFrame ping) {
                context.writeAndFlush(ping);
            }
        } finally {
            ReferenceCountUtil.release(frame);
        }
    }

    @Override
    public void send(int stream, byte[] octets) {
        awaitWritable();
        write(new DefaultSpdyDataFrame(stream, Unpooled.wrappedBuffer(octets)));
    }

    @Override
    public void end(int stream) {
        DefaultSpdyDataFrame last = new DefaultSpdyDataFrame(stream);
        last.setLast(true);
        write(last);
    }

    private void open(ChannelHandlerContext context, SpdySynStreamFrame frame) {
        Map<String, String> headers = new HashMap<>();
        frame.headers()
                .forEach(header -> headers.put(
                        header.getKey().toString().toLowerCase(Locale.ROOT),
                        header.getValue().toString()));
        // Netty leaves out an empty block of headers, but kubectl waits for it.
        SpdySynReplyFrame reply = new DefaultSpdySynReplyFrame(frame.streamId());
        reply.headers().set("streamtype", headers.getOrDefault("streamtype", ""));
        context.writeAndFlush(reply);
        opened(frame.streamId(), headers);
        if (frame.isLast()) {
            ended(frame.streamId());
        }
    }
}
