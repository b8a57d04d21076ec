/**
 * Routes to the pods of other nodes, and the masquerading of what leaves the cluster. Nodes come in, a plan is made,
 * and steps change the kernel. It knows no Services.
 */
package dev.nodepath.agent.routes;
