/**
 * The command line: one class for each command. A command reads its options, builds what it needs and runs it. The
 * trace of a packet goes out as text or JSON. No other package of this module knows this one.
 */
package dev.nodepath.agent;
