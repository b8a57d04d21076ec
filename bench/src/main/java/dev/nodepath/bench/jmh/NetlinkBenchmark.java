package dev.nodepath.bench.jmh;

import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.LinkMessages;
import dev.nodepath.linux.netlink.NetlinkMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The netlink codec: a request to bytes, and a listing from bytes. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class NetlinkBenchmark {
    private static final int HEADER_BYTES = 16;
    private static final int NEWLINK = 16;
    private static final BridgeSpec BRIDGE = new BridgeSpec("cni0", Optional.empty(), Optional.of(1450), true);

    /** How many links are listed. */
    @Param({"10", "1000", "10000"})
    public int links;

    private final List<NetlinkMessage> listing = new ArrayList<>();

    /** Makes the kernel's answer. */
    @Setup
    public void makeListing() {
        for (int i = 0; i < links; i++) {
            BridgeSpec spec = new BridgeSpec("bridge" + i, Optional.empty(), Optional.of(1450), true);
            ByteBuffer message =
                    ByteBuffer.wrap(LinkMessages.createBridge(spec).toBytes(i)).order(ByteOrder.nativeOrder());
            ByteBuffer payload = message.slice(HEADER_BYTES, message.limit() - HEADER_BYTES);
            listing.add(new NetlinkMessage(NEWLINK, 0, i, payload.order(ByteOrder.nativeOrder())));
        }
    }

    /** The request for a bridge. */
    @Benchmark
    public byte[] encodeBridge() {
        return LinkMessages.createBridge(BRIDGE).toBytes(1);
    }

    /** All links. */
    @Benchmark
    public List<Link> decodeLinks() {
        List<Link> read = new ArrayList<>();
        for (NetlinkMessage message : listing) {
            message.payload().rewind();
            read.add(LinkMessages.read(message));
        }
        return read;
    }
}
