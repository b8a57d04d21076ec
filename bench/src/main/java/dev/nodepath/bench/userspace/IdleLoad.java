package dev.nodepath.bench.userspace;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** {@code IdleLoad IP PORT COUNT}: opens connections, prints {@code open}, and holds them until its input ends. */
public final class IdleLoad {
    private IdleLoad() {}

    /** See the class. */
    public static void main(String[] args) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(args[0]), Integer.parseInt(args[1]));
        List<SocketChannel> held = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            held.add(SocketChannel.open(address));
        }
        System.out.println("open");
        System.in.read();
        for (SocketChannel channel : held) {
            channel.close();
        }
    }
}
