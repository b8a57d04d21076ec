package dev.nodepath.dns;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers datagrams. Responses to datagrams of one read are sent together. */
@SuppressWarnings("FutureReturnValueIgnored") // A datagram may get lost.
final class UdpQueries extends SimpleChannelInboundHandler<DatagramPacket> {
    private static final Logger LOG = LoggerFactory.getLogger(UdpQueries.class);

    private final Resolver resolver;

    UdpQueries(Resolver resolver) {
        this.resolver = resolver;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
        InetSocketAddress client = packet.sender();
        resolver.resolve(packet.content(), false)
                .ifPresent(response -> send(context, new DatagramPacket(response, client)));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    /** A refused datagram, such as one to a client that is gone, must not end the server. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.atDebug().addKeyValue("reason", cause.toString()).log("dns.udp_failed");
    }

    private static void send(ChannelHandlerContext context, DatagramPacket response) {
        if (context.channel().isWritable()) {
            context.write(response);
        } else {
            response.release();
        }
    }
}
