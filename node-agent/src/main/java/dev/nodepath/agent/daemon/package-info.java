/**
 * The agent of a node as one process: its parts, lock and pages, the CNI server with the log of its calls, and
 * NetworkPolicies in force. It wires the parts and leaves the work to them.
 */
package dev.nodepath.agent.daemon;
