package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.kubelet.ShortCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Checks bridge netfilter, which Services between pods of one bridge need: without it the bridge forwards answers
 * without translating them back.
 */
public final class BridgeNetfilterCheck {
    /**
     * This rule with a physdev match makes the kernel load br_netfilter, if it may load modules. The rule matches
     * nothing.
     */
    private static final List<String> LOADING_RULE = List.of(
            "iptables", "-t", "filter", "-A", "FORWARD", "-m", "physdev", "--physdev-in", "none", "-j", "RETURN");

    private static final Duration COMMAND_MAX = Duration.ofSeconds(20);

    private BridgeNetfilterCheck() {}

    /**
     * Checks bridge netfilter inside the enclosure.
     *
     * @return the version of iptables, in its own words
     * @throws IOException if it is missing; the message says what to do
     */
    public static String require() throws IOException, InterruptedException {
        String version = run(List.of("iptables", "--version"));
        if (!dev.nodepath.linux.link.BridgeNetfilter.isLoaded()) {
            run(LOADING_RULE);
        }
        if (!dev.nodepath.linux.link.BridgeNetfilter.isLoaded()) {
            throw new IOException(
                    "kernel module br_netfilter: not loaded (expected: 'modprobe br_netfilter' as root, once)");
        }
        return version;
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        return ShortCommand.run(builder, "", COMMAND_MAX).output().strip();
    }
}
