package dev.nodepath.proxy.nftables;

import java.util.List;

/**
 * A packet passes a hook of netfilter.
 *
 * @param hook its name, such as {@code prerouting}
 * @param link the link that received the packet; empty if unknown or if this host sends it
 * @param translates whether chains of type nat are entered. The kernel enters them once for the destination and once
 *     for the source of a connection.
 */
record HookPass(String hook, String link, boolean translates) {
    static final HookPass OUTPUT = new HookPass("output", "", true);

    /**
     * The hooks after {@link #OUTPUT} for a packet of this host to itself: it leaves through {@code lo} and comes
     * back.
     */
    static final List<HookPass> LOOPBACK =
            List.of(postrouting(""), new HookPass("prerouting", "lo", false), new HookPass("input", "lo", false));

    static HookPass prerouting(String link) {
        return new HookPass("prerouting", link, true);
    }

    static HookPass input(String link) {
        return new HookPass("input", link, true);
    }

    static HookPass forward(String link) {
        return new HookPass("forward", link, false);
    }

    static HookPass postrouting(String link) {
        return new HookPass("postrouting", link, true);
    }

    /** Whether chains of type nat concern the destination here; otherwise they concern the source. */
    boolean isBeforeRouting() {
        return hook.equals("prerouting") || hook.equals("output");
    }
}
