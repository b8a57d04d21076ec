/** What an agent hears of its cluster, and what it tells it. */
package dev.nodepath.agent.cluster;
