package dev.nodepath.emulator.compare;

import dev.nodepath.agent.options.ProxyMode;
import java.util.Locale;
import java.util.Optional;

/** The direct path or a proxy mode. */
enum Mode {
    DIRECT(Optional.empty()),
    USERSPACE(Optional.of(ProxyMode.USERSPACE)),
    /** Userspace mode with {@code --keep-client-address}. Its sources are checked; its speed is not measured. */
    KEPT(Optional.of(ProxyMode.USERSPACE)),
    IPTABLES(Optional.of(ProxyMode.IPTABLES)),
    NFTABLES(Optional.of(ProxyMode.NFTABLES));

    private final Optional<ProxyMode> proxy;

    Mode(Optional<ProxyMode> proxy) {
        this.proxy = proxy;
    }

    Optional<ProxyMode> proxy() {
        return proxy;
    }

    /**
     * Whether a program is still cold: the load's client at the direct path, which comes first, or the relay. The
     * kernel's rules are fast at once.
     */
    boolean needsWarmUp() {
        return this == DIRECT || this == USERSPACE;
    }

    boolean isMeasured() {
        return proxy.isPresent() && this != KEPT;
    }

    boolean keepsClientAddress() {
        return this == KEPT;
    }

    @Override
    public String toString() {
        return this == KEPT ? USERSPACE + ", kept" : name().toLowerCase(Locale.ROOT);
    }
}
