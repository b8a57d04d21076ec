package dev.nodepath.linux.conntrack;

/**
 * The state and the traffic of a tracked flow.
 *
 * @param state of TCP, as {@code conntrack(8)} names it, such as {@code ESTABLISHED}; empty for other protocols
 * @param packets of both directions; 0 unless the namespace counts ({@code net.netfilter.nf_conntrack_acct})
 * @param bytes of both directions, IP headers included; 0 unless the namespace counts
 * @param secondsLeft until the kernel forgets the flow if no packet comes
 */
public record FlowProgress(String state, long packets, long bytes, int secondsLeft) {
    /** Nothing is known. */
    public static final FlowProgress UNKNOWN = new FlowProgress("", 0, 0, 0);

    /** Whether TCP has ended the connection. The kernel keeps the flow for some time. */
    public boolean isEnded() {
        return state.equals("TIME_WAIT") || state.equals("CLOSE");
    }
}
