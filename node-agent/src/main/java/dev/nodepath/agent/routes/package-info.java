/**
 * Routes to the pods of other nodes, and masquerading of traffic that leaves the cluster. It makes a plan from the
 * Nodes and applies it in steps. It knows no Services.
 */
package dev.nodepath.agent.routes;
