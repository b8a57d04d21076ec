/**
 * What an agent hears from its cluster and what it reports: nodes, events and conditions. It uses the one watcher
 * that proxies use.
 */
package dev.nodepath.agent.cluster;
