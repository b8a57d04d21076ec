package dev.nodepath.apiserver.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;

/**
 * Reads requests and writes answers, in the place of Netty's {@code HttpServerCodec}. A refused request has a failure
 * as its decoder result: {@code TooLongHttpLineException} (414), {@code TooLongHttpHeaderException} (431) or another
 * (400). Its connection must end with the answer, because reading stops there.
 */
public final class HttpServerFraming extends CombinedChannelDuplexHandler<HttpRequestDecoder, HttpResponseEncoder> {
    private final HeadsInUse inUse;

    /**
     * The framing of one connection.
     *
     * @param limits of the server
     */
    public HttpServerFraming(HeadLimits limits) {
        this.inUse = new HeadsInUse(limits);
        init(new StrictRequestDecoder(limits, inUse), new Answers());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        inUse.clear();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) throws Exception {
        super.handlerRemoved(context);
        inUse.clear();
    }

    private final class Answers extends HttpResponseEncoder {
        @Override
        protected boolean isContentAlwaysEmpty(HttpResponse answer) {
            boolean more = answer.status().codeClass() == HttpStatusClass.INFORMATIONAL
                    && !answer.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS);
            return (!more && inUse.end()) || super.isContentAlwaysEmpty(answer);
        }
    }
}
