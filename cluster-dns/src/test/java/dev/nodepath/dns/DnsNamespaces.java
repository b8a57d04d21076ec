package dev.nodepath.dns;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A client's namespace and a pod's with a server, joined by a veth pair. */
final class DnsNamespaces implements AutoCloseable {
    static final String SERVER = "10.9.0.2";
    static final int PORT = 53;

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final NetworkNamespace client;
    private final NetworkNamespace pod;
    private final DnsServer server;

    DnsNamespaces() throws LinuxNetException {
        client = net.create("dns-client");
        pod = net.create("dns-pod");
        Link near = client.createVeth(new VethSpec("eth0", Optional.empty(), "eth0", pod, Optional.empty()));
        Link far = pod.link("eth0").orElseThrow();
        client.addAddress(near.index(), Cidr.parse("10.9.0.1/24"));
        pod.addAddress(far.index(), Cidr.parse(SERVER + "/24"));
        client.setUp(near.index(), true);
        pod.setUp(far.index(), true);
        LiveZone zone = new LiveZone(ExampleZone.zone(), InstantSource.system());
        server = new DnsServer(pod, new InetSocketAddress(PORT), loops, zone);
    }

    NetworkNamespace client() {
        return client;
    }

    @Override
    public void close() throws LinuxNetException {
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        client.close();
        pod.close();
        net.delete("dns-client");
        net.delete("dns-pod");
    }
}
