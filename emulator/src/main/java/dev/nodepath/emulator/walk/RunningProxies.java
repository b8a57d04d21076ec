package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.ProxyMode;

/**
 * How the proxies of a cluster run, all alike.
 *
 * @param mode their mode
 * @param keepClientAddress whether they run with {@code --keep-client-address}, which means something in userspace mode
 */
public record RunningProxies(ProxyMode mode, boolean keepClientAddress) {}
