package dev.nodepath.emulator.traffic;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The UDP side of {@code agnhost}: {@code hostname}, {@code clientip} and {@code echo TEXT} as {@code netexec} knows
 * them. {@code serve-hostname} answers everything with its name.
 */
final class AgnhostDatagrams extends SimpleChannelInboundHandler<DatagramPacket> {
    private final String hostname;
    private final boolean alwaysHostname;

    AgnhostDatagrams(String hostname, boolean alwaysHostname) {
        this.hostname = hostname;
        this.alwaysHostname = alwaysHostname;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
        String text = packet.content().toString(StandardCharsets.UTF_8).strip();
        String command = alwaysHostname ? "hostname" : text.toLowerCase(Locale.ROOT);
        if (command.equals("hostname")) {
            answer(context, packet, hostname);
        } else if (command.equals("clientip")) {
            answer(context, packet, AgnhostHandler.text(packet.sender()));
        } else if (command.startsWith("echo ")) {
            answer(context, packet, command.substring("echo ".length()));
        }
    }

    private static void answer(ChannelHandlerContext context, DatagramPacket asked, String text) {
        var unused = context.writeAndFlush(
                new DatagramPacket(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8), asked.sender()));
    }
}
