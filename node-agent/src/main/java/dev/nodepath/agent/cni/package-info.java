/** The CNI server as a part of an agent, and the log of its calls. */
package dev.nodepath.agent.cni;
