/**
 * The agent of a node as one process: its parts, lock and pages, and the CNI server with the log of its calls. It wires
 * the parts and leaves the work to them.
 */
package dev.nodepath.agent.daemon;
