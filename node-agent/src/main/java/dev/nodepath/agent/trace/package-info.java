/** Prints what a packet meets, as text or JSON. */
package dev.nodepath.agent.trace;
