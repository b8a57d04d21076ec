package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.linux.IpAddress;

/**
 * A running pod.
 *
 * @param spec what was asked for
 * @param address what the CNI plugin gave it
 * @param ready whether its probe passes
 */
public record PodStatus(PodSpec spec, IpAddress address, boolean ready) {}
