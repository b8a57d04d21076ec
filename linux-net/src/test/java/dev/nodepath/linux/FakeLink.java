package dev.nodepath.linux;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A link of the fake kernel: state that changes, and the rules that one link knows by itself. */
final class FakeLink {
    static final int MTU_MIN = 68;
    static final int MTU_MAX = 65535;
    static final int MTU_DEFAULT = 1500;
    private static final int LOOPBACK_MTU = 65536;
    private static final MacAddress NO_MAC = new MacAddress(0);

    final FakeNamespace namespace;
    final int index;
    final String name;
    final String kind;
    MacAddress mac;
    int mtu;
    boolean up;
    boolean hairpin;

    @Nullable
    FakeLink master;

    @Nullable
    FakeLink peer;
    /** A bridge whose MAC or MTU was set by hand keeps it; otherwise it follows its ports. */
    boolean macPinned;

    boolean mtuPinned;

    private FakeLink(FakeNamespace namespace, int index, String name, String kind, Optional<MacAddress> mac, int mtu) {
        this.namespace = namespace;
        this.index = index;
        this.name = name;
        this.kind = kind;
        this.mac = mac.orElse(NO_MAC);
        this.macPinned = mac.isPresent();
        this.mtu = mtu;
    }

    static FakeLink loopback(FakeNamespace namespace) {
        return new FakeLink(namespace, 1, "lo", "", Optional.empty(), LOOPBACK_MTU);
    }

    static FakeLink bridge(FakeNamespace namespace, int index, BridgeSpec spec) {
        return new FakeLink(
                namespace, index, spec.name(), "bridge", spec.mac(), spec.mtu().orElse(MTU_DEFAULT));
    }

    static FakeLink veth(FakeNamespace namespace, int index, String name, MacAddress mac, int mtu) {
        return new FakeLink(namespace, index, name, "veth", Optional.of(mac), mtu);
    }

    boolean isLoopback() {
        return kind.isEmpty();
    }

    boolean isBridge() {
        return kind.equals("bridge");
    }

    void checkMtu(int wanted) throws FakeRefusal {
        if (wanted < (isLoopback() ? 0 : MTU_MIN) || (!isLoopback() && wanted > MTU_MAX)) {
            throw new FakeRefusal(Errno.EINVAL);
        }
    }

    /** A veth runs when both ends are up, a bridge when one of its ports runs. */
    boolean running() {
        if (isBridge()) {
            return up && namespace.portsOf(this).anyMatch(FakeLink::running);
        }
        return up && peer != null && peer.up;
    }

    /** What the kernel does to a bridge when a port comes, goes or changes its MTU. */
    void followPorts() {
        if (!macPinned) {
            mac = new MacAddress(namespace
                    .portsOf(this)
                    .mapToLong(port -> port.mac.bits())
                    .min()
                    .orElse(0));
        }
        if (!mtuPinned) {
            mtu = namespace.portsOf(this).mapToInt(port -> port.mtu).min().orElse(MTU_DEFAULT);
        }
    }

    Link snapshot() {
        return new Link(
                index,
                name,
                kind,
                Optional.of(mac),
                mtu,
                up,
                running(),
                master == null ? 0 : master.index,
                peer == null ? 0 : peer.index,
                hairpin);
    }
}
