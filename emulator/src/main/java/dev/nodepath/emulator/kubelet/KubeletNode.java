package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.namespace.NetworkNamespace;
import java.nio.file.Path;

/**
 * The node of a kubelet.
 *
 * @param name of the Node
 * @param address its first
 * @param namespace its network
 * @param plugin the CNI plugin to exec
 * @param files of its agent
 */
public record KubeletNode(String name, String address, NetworkNamespace namespace, Path plugin, NodeFolder files) {}
