/**
 * A proxy inside a process: it is opened for a mode, synced, watched and replaced. It joins options, sources and
 * modes, and reports health and metrics.
 */
package dev.nodepath.agent.proxy;
