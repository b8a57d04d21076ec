package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.ProxyMode;
import java.util.Locale;

/**
 * How the proxies of a cluster run, all alike.
 *
 * @param mode their mode
 * @param keepsClientAddress whether they run with {@code --keep-client-address}, which means something in userspace mode
 */
public record RunningProxies(ProxyMode mode, boolean keepsClientAddress) {
    /**
     * As a cluster tells it.
     *
     * @param mode its name on the command line
     * @throws IllegalArgumentException if there is no such mode
     */
    public static RunningProxies of(String mode, boolean keepsClientAddress) {
        return new RunningProxies(ProxyMode.valueOf(mode.toUpperCase(Locale.ROOT)), keepsClientAddress);
    }
}
