/** Routes to the pods of other nodes, and the address that pods' traffic leaves the cluster with. */
package dev.nodepath.agent.routes;
