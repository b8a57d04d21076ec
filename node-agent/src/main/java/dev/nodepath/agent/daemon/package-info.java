/**
 * The agent of a node as one process: its parts, its lock and its pages. It knows every part and does no part's
 * work.
 */
package dev.nodepath.agent.daemon;
