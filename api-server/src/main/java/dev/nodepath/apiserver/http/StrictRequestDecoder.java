package dev.nodepath.apiserver.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;

/**
 * Passes only complete heads without a fault to Netty's decoder. After a fault the connection is not read any more.
 * The refused request, or the end of its body, has the fault as its decoder result.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
    /** The most octets of lines between the pieces of a body, and of trailers. */
    private static final int BETWEEN_MAX = HeadLimits.FREE;

    private final HeadLimits limits;
    private final HeadsInUse inUse;
    private boolean inHead = true;
    private boolean refused;
    /** The octets of the head that were examined so far. */
    private int looked;
    /** The begin of the incomplete line. */
    private int line;
    /** Octets of the request line; 0 while it is incomplete. */
    private int requestLine;
    /** Octets since the last piece of a body. */
    private int between;

    StrictRequestDecoder(HeadLimits limits, HeadsInUse inUse) {
        super(new HttpDecoderConfig().setMaxInitialLineLength(limits.headMax()).setMaxHeaderSize(limits.headMax()));
        this.limits = limits;
        this.inUse = inUse;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (refused) {
            in.skipBytes(in.readableBytes());
        } else if (inHead) {
            decodeHead(context, in, out);
        } else {
            decodeBody(context, in, out);
        }
    }

    private void decodeHead(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        while (looked == 0
                && in.isReadable()
                && (in.getByte(in.readerIndex()) == '\r' || in.getByte(in.readerIndex()) == '\n')) {
            // A client may send an empty line behind a request (RFC 9112, section 2.2).
            in.skipBytes(1);
        }
        int size = headSize(in);
        if (size > limits.headMax() || (size < 0 && in.readableBytes() > limits.headMax())) {
            refuse(in, out, tooLong("longer than " + limits.headMax() + " octets"));
            return;
        }
        if (!inUse.hold(size < 0 ? in.readableBytes() : size)) {
            refuse(in, out, tooLong("the long requests of all clients take all the memory that there is for them"));
            return;
        }
        if (size < 0) {
            return;
        }
        try {
            RequestHead.check(in, in.readerIndex(), in.readerIndex() + size);
        } catch (IllegalArgumentException | TooLongHttpHeaderException e) {
            refuse(in, out, e);
            return;
        }
        inHead = false;
        looked = 0;
        line = 0;
        requestLine = 0;
        int before = out.size();
        super.decode(context, in, out);
        follow(out, before);
        if (!refused && out.size() > before && out.get(before) instanceof HttpRequest request) {
            inUse.begin(request.method().equals(HttpMethod.HEAD));
        }
    }

    private void decodeBody(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int before = out.size();
        int readable = in.readableBytes();
        super.decode(context, in, out);
        follow(out, before);
        int read = readable - in.readableBytes();
        between = out.size() > before ? 0 : between + read;
        // If nothing was read, a line is still incomplete.
        boolean tooLong = between > BETWEEN_MAX || (read == 0 && readable > BETWEEN_MAX);
        if (!refused && !inHead && tooLong && out.size() == before) {
            refuse(
                    in,
                    out,
                    new IllegalArgumentException("a line of the body is longer than " + BETWEEN_MAX + " octets"));
        }
    }

    /** Follows the output of Netty's decoder. */
    private void follow(List<Object> out, int before) {
        for (Object each : out.subList(before, out.size())) {
            refused |=
                    each instanceof HttpObject object && object.decoderResult().isFailure();
            inHead |= each instanceof LastHttpContent;
        }
    }

    private TooLongFrameException tooLong(String fault) {
        return requestLine == 0 || requestLine > limits.headMax()
                ? new TooLongHttpLineException(fault)
                : new TooLongHttpHeaderException(fault);
    }

    private void refuse(ByteBuf in, List<Object> out, Exception fault) {
        in.skipBytes(in.readableBytes());
        refused = true;
        if (inHead) {
            DefaultFullHttpRequest request =
                    new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/bad-request");
            request.setDecoderResult(DecoderResult.failure(fault));
            inUse.begin(false);
            out.add(request);
        } else {
            DefaultLastHttpContent end = new DefaultLastHttpContent();
            end.setDecoderResult(DecoderResult.failure(fault));
            out.add(end);
        }
    }

    /** The octets of the head up to its empty line; negative while that is missing. */
    private int headSize(ByteBuf in) {
        int start = in.readerIndex();
        while (looked < in.readableBytes()) {
            int found = in.indexOf(start + looked, in.writerIndex(), (byte) '\n');
            if (found < 0) {
                looked = in.readableBytes();
                return -1;
            }
            looked = found + 1 - start;
            int length = looked - line;
            if (length == 1 || (length == 2 && in.getByte(found - 1) == '\r')) {
                return looked;
            }
            requestLine = line == 0 ? looked : requestLine;
            line = looked;
        }
        return -1;
    }
}
