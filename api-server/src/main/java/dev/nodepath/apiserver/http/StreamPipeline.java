package dev.nodepath.apiserver.http;

import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.StreamProtocol;
import dev.nodepath.apiserver.request.StreamSession;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.spdy.SpdyFrameCodec;
import io.netty.handler.codec.spdy.SpdyVersion;
import io.netty.handler.stream.ChunkedWriteHandler;

/** The handlers of a connection that carries streams. */
final class StreamPipeline {
    /** kubectl sends messages of 32 KiB. */
    private static final int MESSAGE_OCTETS_MAX = 1024 * 1024;

    private StreamPipeline() {}

    /** From here on the connection uses the agreed protocol. */
    static void replaceHttp(ChannelPipeline pipeline, ApiResponse.Upgrade upgrade) {
        StreamProtocol protocol = upgrade.protocol();
        if (protocol != StreamProtocol.SPDY) {
            addWebSocket(pipeline);
        }
        if (protocol == StreamProtocol.SPDY_IN_WEBSOCKET) {
            pipeline.addLast(new WebSocketTunnel());
        }
        addStreams(pipeline, protocol, upgrade.session());
        pipeline.remove(RequestAssembler.class);
        pipeline.remove(ChunkedWriteHandler.class);
        pipeline.remove(HttpServerFraming.class);
    }

    private static void addWebSocket(ChannelPipeline pipeline) {
        pipeline.addLast(
                new WebSocket13FrameDecoder(WebSocketDecoderConfig.newBuilder()
                        .maxFramePayloadLength(MESSAGE_OCTETS_MAX)
                        .build()),
                new WebSocket13FrameEncoder(false),
                new WebSocketFrameAggregator(MESSAGE_OCTETS_MAX),
                new WebSocketControl());
    }

    private static void addStreams(ChannelPipeline pipeline, StreamProtocol protocol, StreamSession session) {
        Channel channel = pipeline.channel();
        if (protocol == StreamProtocol.WEBSOCKET_CHANNELS) {
            pipeline.addLast(new ChannelStreams(channel, session));
        } else {
            pipeline.addLast(new SpdyFrameCodec(SpdyVersion.SPDY_3_1), new SpdyStreams(channel, session));
        }
    }
}
