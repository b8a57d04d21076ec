/**
 * What an agent reads from its cluster and reports to it: nodes, events and conditions. It shares the proxies'
 * watcher.
 */
package dev.nodepath.agent.cluster;
