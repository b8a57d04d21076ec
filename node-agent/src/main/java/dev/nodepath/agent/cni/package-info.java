/** The CNI server as a part of an agent. */
package dev.nodepath.agent.cni;
