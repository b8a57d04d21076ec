/** Prints the trace of a packet, as text or JSON. */
package dev.nodepath.agent.trace;
