package dev.nodepath.emulator.cluster;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.dns.ClusterSource;
import dev.nodepath.dns.DnsServer;
import dev.nodepath.dns.LiveZone;
import dev.nodepath.dns.Zone;
import dev.nodepath.dns.ZoneConfig;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;

/**
 * The names of the cluster: one zone, and a server of it in each Pod whose image is {@value #IMAGE}. Other names are
 * refused, as an enclosure has no way out.
 */
final class ClusterDns implements AutoCloseable {
    /** The image that names the server. */
    static final String IMAGE = "nodepath/dns";

    private static final InetSocketAddress EVERY_ADDRESS = new InetSocketAddress("0.0.0.0", 53);

    private final LiveZone zone = new LiveZone(Zone.empty(ZoneConfig.DEFAULT), InstantSource.system());
    private final ClusterSource source;

    /** Begins to follow the objects. */
    ClusterDns(ClusterApi api) {
        this.source = new ClusterSource(api, zone);
    }

    /** Starts a server on port 53 of a Pod. */
    AutoCloseable serve(NetworkNamespace pod, EventLoopGroup loops) throws IOException {
        return new DnsServer(pod, EVERY_ADDRESS, loops, zone);
    }

    @Override
    public void close() {
        source.close();
    }
}
