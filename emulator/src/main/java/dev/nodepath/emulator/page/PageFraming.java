package dev.nodepath.emulator.page;

import dev.nodepath.apiserver.http.HeadLimits;
import dev.nodepath.apiserver.http.HttpServerFraming;
import io.netty.channel.ChannelHandler;
import java.util.function.Supplier;

/**
 * Parses requests for a page's server, as strictly as the API server does. One object serves all connections of a
 * page. A browser sends the cookies of all servers of a machine, so its headers may be long.
 */
public final class PageFraming implements Supplier<ChannelHandler> {
    private static final int HEAD_MAX = 64 * 1024;
    private static final long HEADS_MAX = 4 * 1024 * 1024;

    private final HeadLimits heads = new HeadLimits(HEAD_MAX, HEADS_MAX);

    @Override
    public ChannelHandler get() {
        return new HttpServerFraming(heads);
    }
}
