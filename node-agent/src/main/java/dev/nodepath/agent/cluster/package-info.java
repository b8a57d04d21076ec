/**
 * The agent's exchange with its cluster: it reads nodes, and reports events and conditions. It shares the proxies'
 * watcher.
 */
package dev.nodepath.agent.cluster;
