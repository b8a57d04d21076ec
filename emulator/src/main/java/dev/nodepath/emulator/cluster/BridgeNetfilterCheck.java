package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What the kernel must offer for Services between pods of one bridge: without bridge netfilter the answers are switched
 * past the rules that have to translate them back.
 */
public final class BridgeNetfilterCheck {
    /** A rule with a physdev match makes the kernel load br_netfilter, where it may load modules. It matches nothing. */
    private static final List<String> LOADING_RULE = List.of(
            "iptables", "-t", "filter", "-A", "FORWARD", "-m", "physdev", "--physdev-in", "none", "-j", "RETURN");

    private static final Duration COMMAND_MAX = Duration.ofSeconds(20);

    private BridgeNetfilterCheck() {}

    /**
     * Makes sure of it, inside the enclosure.
     *
     * @return the version of iptables, in its own words
     * @throws IOException with what to do, if it is not there
     */
    public static String require() throws IOException, InterruptedException {
        String version = run(List.of("iptables", "--version"));
        if (!dev.nodepath.linux.namespace.BridgeNetfilter.isLoaded()) {
            run(LOADING_RULE);
        }
        if (!dev.nodepath.linux.namespace.BridgeNetfilter.isLoaded()) {
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
