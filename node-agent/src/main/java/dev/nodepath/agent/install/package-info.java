/**
 * What an agent puts on the disk of its node: the CNI plugin and the network's configuration. It also removes them.
 */
package dev.nodepath.agent.install;
