/** What an agent puts on the disk of its node: the CNI plugin with all that it needs, and the network's configuration. */
package dev.nodepath.agent.install;
