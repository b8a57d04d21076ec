/**
 * The agent's files on the disk of its node: the CNI plugin and the network's configuration. They are installed and
 * removed here.
 */
package dev.nodepath.agent.install;
