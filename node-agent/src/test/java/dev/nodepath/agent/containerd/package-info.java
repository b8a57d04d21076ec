/** Debian's containerd and runc, in the namespaces of the test run, calling the CNI plugin as on a node. */
package dev.nodepath.agent.containerd;
